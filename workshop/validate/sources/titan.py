"""Llama 3 by torchtitan itself, with FSDP2 and tensor parallelism, on 8 to 128 H100 and A100."""

import re

from workshop.measurements.store import Measurements, Row
from workshop.validate.case import Case
from workshop.validate.data import read_rows, spread

_PER_NODE = 8
_GPUS = {"H100 9": "h100-96", "A100 8": "a100-80", "H200": "h200"}
_FLAVOURS = {
    "Llama3.1-8B": "8B",
    "Llama3-8B": "8B",
    "Llama3-70B": "70B",
    "Llama3.1-70B": "70B",
    "Llama3.1-405B": "405B",
    "Llama2-13B": "Llama2-13B",
}
_PLAIN = ("", "False", "bfloat16")
_DEGREE = re.compile(r"TP (\d+)")


def cases(data: Measurements) -> list[Case]:
    """Rows in bf16: float8 needs another package, context parallelism another torch."""
    rows = [row for row in read_rows(data, "torchtitan_sample.csv") if _can_run(row)]
    return [_case(row, seen) for row, seen in spread(rows, len(rows))]


def _can_run(row: Row) -> bool:
    shape = row["parallelism"]
    return row["float8"] in _PLAIN and not row["extra"] and "CP" not in shape and "PP" not in shape


def _case(row: Row, seen: bool) -> Case:
    flavour = _FLAVOURS[row["model"]]
    nodes = int(row["gpus"]) // _PER_NODE
    gpu = next(gpu for start, gpu in _GPUS.items() if row["gpu"].startswith(start))
    degree = int(found[1]) if (found := _DEGREE.search(row["parallelism"])) else 1
    tokens = int(row["seq_len"]) * int(row["local_batch"])
    return Case(
        source="torchtitan",
        name=f"Llama {flavour} {row['local_batch']}x{row['seq_len']} {row['parallelism']}",
        script="titan_llama.py",
        arguments=(
            *("--model.name", "llama3", "--model.flavor", flavour, "--training.steps", "1000"),
            *("--training.seq_len", row["seq_len"]),
            *("--training.local_batch_size", row["local_batch"]),
            *("--parallelism.tensor_parallel_degree", str(degree)),
            *_recomputation(row),
            # The loss was not compiled in 2024: peak memory tells.
            *(("--compile.enable", "--compile.components", "model") * bool(row["torch_compile"])),
        ),
        cluster=f"{gpu}:{_PER_NODE}" + (f"x{nodes}" if nodes > 1 else ""),
        measured_ms=1e3 * tokens / degree / float(row["tokens_per_s_per_gpu"]),
        seen=seen,
        series=f"{flavour} {gpu}",
        frameworks=True,
    )


def _recomputation(row: Row) -> tuple[str, ...]:
    if row["activation_ckpt"].startswith("selective"):
        mode = "--activation_checkpoint.mode", "selective"
        return *mode, "--activation_checkpoint.selective_ac_option", "op"
    return "--activation_checkpoint.mode", row["activation_ckpt"]
