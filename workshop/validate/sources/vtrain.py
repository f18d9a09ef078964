"""GPT on 2 to 8 A100 (Megatron-DeepSpeed, fp16, full recomputation): step times of vTrain."""

from workshop.measurements.store import Measurements, Row
from workshop.validate.case import Case
from workshop.validate.data import read_rows, spread

_COUNT = 12  # and as many unseen
_SIZES = (
    *("global_batch", "micro_batch", "hidden", "heads", "layers", "seq_len"),
    *("tp", "dp", "pp"),
)


def cases(data: Measurements) -> list[Case]:
    """Rows evenly over the file, which is in no order."""
    rows = read_rows(data, "vtrain_single_sample.csv")
    return [_case(row, seen) for row, seen in spread(rows, _COUNT)]


def _case(row: Row, seen: bool) -> Case:
    model = f"{row['layers']}x{row['hidden']}"
    shape = f"tp{row['tp']} dp{row['dp']} pp{row['pp']}"
    arguments = [word for name in _SIZES for word in ("--" + name.replace("_", "-"), row[name])]
    return Case(
        source="vtrain",
        name=f"GPT {model} {shape} {row['micro_batch']}/{row['global_batch']}",
        script="megatron_gpt.py",
        arguments=(*arguments, "--expert-loss"),
        cluster=f"a100-80:{row['gpus']}",
        measured_ms=float(row["iteration_ms"]),
        seen=seen,
    )
