"""GPT 3.6B to 175B on 64 to 512 A100 (Megatron-LM, fp16, full recomputation): vTrain's clusters."""

from workshop.measurements.store import Measurements, Row
from workshop.validate.case import Case
from workshop.validate.data import read_rows, spread

_PER_NODE = 8
_FABRIC = "ib-hdr-4"  # 800 Gb/s a node
_MOST_STAGES = 4  # each is a process of its own
_COLUMNS = {
    "global batch": "--global-batch",
    "micro batch": "--micro-batch",
    "hidden size": "--hidden",
    "attention heads": "--heads",
    "# layers": "--layers",
    "sequence length": "--seq-len",
    "tensor parallelism": "--tp",
    "data parallelism": "--dp",
    "pipeline parallelism": "--pp",
}


def cases(data: Measurements) -> list[Case]:
    """Every row with few stages."""
    rows = [
        row
        for row in read_rows(data, "vtrain_multi_sample.csv")
        if int(row["pipeline parallelism"]) <= _MOST_STAGES
    ]
    return [_case(row, seen) for row, seen in spread(rows, len(rows))]


def _case(row: Row, seen: bool) -> Case:
    shape = "tp{tensor parallelism} dp{data parallelism} pp{pipeline parallelism}".format(**row)
    batch = f"{row['micro batch']}/{row['global batch']}"
    return Case(
        source="vtrain-multi",
        name=f"GPT {row['Parameters (billion)']}B {shape} {batch}",
        script="megatron_gpt.py",
        arguments=tuple(word for name, flag in _COLUMNS.items() for word in (flag, row[name])),
        cluster=f"a100-80:{_PER_NODE}x{int(row['# GPUs']) // _PER_NODE}@{_FABRIC}",
        measured_ms=float(row["iteration time (ms)"]),
        seen=seen,
        series="one model a machine",
    )
