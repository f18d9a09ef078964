"""MPT 125M to 760M with FSDP on A100 and H100: the throughput table of llm-foundry."""

from workshop.measurements.store import Measurements, Row
from workshop.validate.case import Case
from workshop.validate.data import read_rows, spread

_COUNT = 10  # and as many unseen
_GPUS = {"h100_80gb": "h100", "a100_80gb": "a100-80", "a100_40gb": "a100-40"}
_PER_NODE = 8


def cases(data: Measurements) -> list[Case]:
    """Rows evenly over the file, which goes by GPU, size and sequence length."""
    rows = read_rows(data, "mosaic_small.csv")
    return [_case(row, seen) for row, seen in spread(rows, _COUNT)]


def _case(row: Row, seen: bool) -> Case:
    length, gpus = row["SeqLen (T)"], int(row["# GPUs"])
    nodes = gpus // _PER_NODE
    arguments = (
        *("--model", row["Model"], "--seq-len", length),
        *("--micro-batch", row["MicroBatchSize"], "--accumulate", row["GradAccum"]),
        *(["--pure"] if row["MP Mode"] == "PURE" else []),
        *(["--checkpoint-activations"] if row["Activation Checkpointing"] == "True" else []),
    )
    tokens, rate = float(row["GlobalBatchSize (T)"]), float(row["Throughput (T/s)"])
    return Case(
        source="mosaic",
        name=f"MPT {row['Model']} {row['MicroBatchSize']}x{row['GradAccum']}x{length}",
        script="mpt_fsdp.py",
        arguments=arguments,
        cluster=f"{_GPUS[row['GPU']]}:{_PER_NODE}" + (f"x{nodes}" if nodes > 1 else ""),
        measured_ms=1e3 * tokens / rate,
        seen=seen,
    )
