"""MPT 125M to 70B with FSDP on A100 and H100: the throughput tables of llm-foundry."""

from workshop.measurements.store import Measurements, Row
from workshop.validate.case import Case
from workshop.validate.data import read_rows, spread

_SMALL_COUNT = 10  # and as many unseen
_FP8 = "amp_fp8"  # by Transformer Engine, which is not at hand
_GPUS = {"h100_80gb": "h100", "a100_80gb": "a100-80", "a100_40gb": "a100-40"}
_PER_NODE = 8
_MOST_OWN_TOKENS = 4096  # in longer sequences attention, which is another's, takes a third and more


def cases(data: Measurements) -> list[Case]:
    """Rows evenly over the files, which go by GPU, size and sequence length; all large models."""
    small = read_rows(data, "mosaic_small.csv")
    large = [r for r in read_rows(data, "mosaic_large_sample.csv") if r["Precision"] != _FP8]
    chosen = spread(small, _SMALL_COUNT) + spread(large, len(large))
    return [_case(row, seen) for row, seen in chosen]


def _case(row: Row, seen: bool) -> Case:
    length, gpus = row["SeqLen (T)"], int(row["# GPUs"])
    nodes = gpus // _PER_NODE
    arguments = (
        *("--model", row["Model"], "--seq-len", length),
        *("--micro-batch", row["MicroBatchSize"], "--accumulate", row["GradAccum"]),
        *("--strategy", row["Sharding Strategy"]),
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
        series=f"{row['Model']} {length} {row['GPU']} {row['GradAccum']}",
        stand_in=int(length) > _MOST_OWN_TOKENS,
    )
