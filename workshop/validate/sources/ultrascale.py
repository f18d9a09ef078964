"""Llama 1B to 80B by nanotron itself on 8 to 256 H100: the ultra-scale playbook's benchmark."""

from workshop.measurements.store import Measurements, Row
from workshop.validate.case import Case
from workshop.validate.data import read_rows, spread

_COUNT = 12  # and as many unseen
_PER_NODE = 8
# The job script of its repository (run_multinode.sh) sets it. Its benchmark ran pipelines anew, and
# on several nodes these take what the checks ask for; steps without pipelines do not.
_CHECKS = ("TORCH_DISTRIBUTED_DEBUG", "DETAIL")
# nanotron's own job scripts name it, and the playbook's bandwidths are of it; servers have its CPU.
_FABRIC = "efa-3200"
_MOST_MICRO_BATCHES = 64
_PIPELINES = 4  # and as many unseen
_MOST_STAGES = 4  # each is a process of its own
_MOST_MICRO_BATCHES_OF_STAGES = 32
_COLUMNS = {
    "layers": "--layers",
    "hidden": "--hidden",
    "heads": "--heads",
    "kv_heads": "--kv-heads",
    "ffn": "--ffn",
    "vocab": "--vocab",
    "seq_len": "--seq-len",
    "dp": "--dp",
    "tp": "--tp",
    "pp": "--pp",
    "zero_stage": "--zero",
    "mbs": "--micro-batch",
    "grad_acc": "--accumulate",
}


def cases(data: Measurements) -> list[Case]:
    """Rows that ran, evenly over the file, which goes by model, GPUs and recipe; then pipelines."""
    rows = [row for row in read_rows(data, "ultrascale_nanotron_h100.csv") if row["ok"] == "1"]
    whole = [row for row in rows if int(row["pp"]) == 1 and _batches(row) <= _MOST_MICRO_BATCHES]
    chosen = spread(whole, _COUNT) + spread([r for r in rows if _pipelined(r)], _PIPELINES)
    return [case_of(row, seen) for row, seen in chosen]


def _pipelined(row: Row) -> bool:
    few = _batches(row) <= _MOST_MICRO_BATCHES_OF_STAGES
    return 1 < int(row["pp"]) <= _MOST_STAGES and few


def _batches(row: Row) -> int:
    return int(row["grad_acc"])


def case_of(row: Row, seen: bool) -> Case:
    """A recipe of the table."""
    nodes = int(row["nodes"])
    shape = f"tp{row['tp']} dp{row['dp']} pp{row['pp']} zero{row['zero_stage']}"
    words = [word for name, flag in _COLUMNS.items() for word in (flag, row[name])]
    return Case(
        source="ultrascale",
        name=f"Llama {row['model']} {row['mbs']}x{row['grad_acc']}x{row['seq_len']} {shape}",
        script="nanotron_llama.py",
        arguments=(*words, *(["--tied"] if row["tied"] == "1" else [])),
        cluster=f"h100:{_PER_NODE}" + (f"x{nodes}" if nodes > 1 else "") + f"@{_FABRIC}",
        measured_ms=_step_ms(row),
        seen=seen,
        frameworks=True,
        variables=_variables(row),
    )


def _variables(row: Row) -> tuple[tuple[str, str], ...]:
    """As in nanotron's job script. Pipelines were run again later: see `_CHECKS`."""
    alone = (("CUDA_DEVICE_MAX_CONNECTIONS", "1"),)  # or tensor parallelism refuses to run
    return (*alone, _CHECKS) if int(row["pp"]) > 1 and int(row["nodes"]) > 1 else alone


def _step_ms(row: Row) -> float:
    """0 where it crashed. By its rate: a few rows give the time of another batch than they had."""
    samples = int(row["dp"]) * int(row["mbs"]) * int(row["grad_acc"])
    rate = float(row["tok_s"] or 0)
    return samples * int(row["seq_len"]) / rate * 1e3 if rate else 0.0
