"""Liger-Kernel's benchmarks of what PyTorch itself does, one operator a row."""

import json
from collections import defaultdict
from collections.abc import Callable
from statistics import median
from typing import Any

from maya.units import NS_PER_MS
from workshop.measurements.store import Measurements
from workshop.operators.case import Case, Program
from workshop.operators.sources.gpus import GPUS

SOURCE = "liger"
_PROVIDERS = {"huggingface": False, "torch": False, "torchcompile": True, "torch_compile": True}

# Its times are those of both passes, to the last digit.
_MISLABELLED = {("megatron_swiglu", "backward")}

_RECENT = "2025-08"  # PyTorch 2.8
_GATHERS = "indexing"

# What the scripts do around an operator, as their history has it; no part of the problem.
_ABOUT = frozenset({"weight", "gradients", "results"})

Sizes = dict[str, Any]
Read = Callable[[Sizes], tuple[str, Sizes] | None]


def _dtype(c: Sizes) -> Sizes:
    return {"dtype": c.get("dtype", "torch.float32").removeprefix("torch.")}


def _rows(name: str, rows: str, columns: str, about: Sizes | None = None) -> Read:
    return lambda c: (name, {"shape": [c[rows], c[columns]], **_dtype(c), **(about or {})})


def _vocabulary(name: str) -> Read:
    return lambda c: (name, {"shape": [c["B"] * c["T"], c["V"]]}) if "B" in c else None


def _rms_norm(c: Sizes) -> tuple[str, Sizes] | None:
    """The weight is fp32 whatever the input is. Gradients had the input's type until the scripts of
    April 2026, which sweep tokens (T) and draw them anew."""
    if "M" in c:
        about = {"weight": "float32", "gradients": "of the input's type"}
        return _rows("rms_norm", "M", "H", about)(c)
    if "T" in c:
        about = {"weight": "float32", "gradients": "drawn"}
        return _rows("rms_norm", "T", "hidden_size", about)(c)
    return None  # models by name


def _rotary(c: Sizes) -> tuple[str, Sizes]:
    tokens, hidden = c.get("T", c.get("seq_len")), c.get("H", c.get("hidden_size"))
    heads = {"heads": c["num_q_heads"], "kv_heads": c["num_kv_heads"]}
    size = {"tokens": tokens, "head_size": hidden // c["num_q_heads"]}
    return "rotary", {**heads, **size, **_dtype(c)}


def _group_norm(c: Sizes) -> tuple[str, Sizes]:
    groups = c["C"] // c["channels_per_group"]
    return "group_norm", {"shape": [c["M"], c["C"], c["H"]], "groups": groups, **_dtype(c)}


def _embedding(c: Sizes) -> tuple[str, Sizes]:
    table = {"rows": c["V"], "columns": c["D"]}
    return "embedding", {"shape": [c["B"], c["T"]], **table, **_dtype(c)}


def _gated(c: Sizes) -> tuple[str, Sizes]:
    shape = [c["S"], c["B"], 2 * c["ffn_local"]]
    return "gated", {"shape": shape, "dtype": "bfloat16", "gradients": "of the sum"}


OPERATORS: dict[str, tuple[str, Read]] = {
    "batch_norm": ("norm", _rows("batch_norm", "M", "N")),
    "cross_entropy": ("loss", _vocabulary("cross_entropy")),
    "embedding": ("indexing", _embedding),
    "fused_add_rms_norm": ("norm", _rows("added_rms_norm", "M", "H", {"results": "both"})),
    "group_norm": ("norm", _group_norm),
    "jsd": ("loss", _vocabulary("jensen_shannon")),
    "kl_div": ("loss", _vocabulary("kl_divergence")),
    "layer_norm": ("norm", _rows("layer_norm", "M", "N")),
    "megatron_swiglu": ("elementwise", _gated),
    "relu_squared": ("elementwise", _rows("squared_relu", "M", "N")),
    "rms_norm": ("norm", _rms_norm),
    "rope": ("rotary", _rotary),
    "softmax": ("softmax", _rows("softmax", "M", "N")),
    "sparsemax": ("scan", lambda c: ("sparsemax", {"shape": [c["B"] * c["T"], c["V"]]})),
    "tvd": ("loss", _vocabulary("total_variation")),
}


def cases(data: Measurements) -> list[Case]:
    """The median over repetitions of each operator, size and direction on each GPU."""
    times: dict[tuple[str, Program, str, bool], list[float]] = defaultdict(list)
    for row in data.table("liger").iter_rows(named=True):
        program, gpu = _program(row), GPUS.get(row["gpu_name"])
        if program and gpu and row["metric_name"] == "speed":
            outdated = _is_outdated(row, program)
            times[row["kernel_name"], program, gpu, outdated].append(row["y_value_50"])
    return [
        Case(SOURCE, _problem(program), OPERATORS[name][0], program, gpu, median(found) * NS_PER_MS,
             outdated=outdated)
        for (name, program, gpu, outdated), found in times.items()
    ]  # fmt: skip


def _is_outdated(row: dict[str, Any], program: Program) -> bool:
    """Inductor writes its kernels anew with every release; since PyTorch 2.8 embeddings gather rows
    by another kernel."""
    changed = program.compiled or OPERATORS[row["kernel_name"]][0] == _GATHERS
    return changed and row["timestamp"] < _RECENT


def _program(row: dict[str, Any]) -> Program | None:
    name, provider = row["kernel_name"], row["kernel_provider"]
    if (name, row["kernel_operation_mode"]) in _MISLABELLED:
        return None
    if name not in OPERATORS or provider not in _PROVIDERS or not row["x_value"].isdigit():
        return None
    sizes = json.loads(row["extra_benchmark_config_str"]) | {row["x_name"]: int(row["x_value"])}
    found = OPERATORS[name][1](sizes)
    if not found:
        return None
    parameters = {**found[1], "gradient": True}
    return Program(found[0], parameters, row["kernel_operation_mode"], _PROVIDERS[provider])


def _problem(program: Program) -> str:
    """Directions and modes of one shape stay together, however the script called it."""
    sizes = {name: value for name, value in program.parameters.items() if name not in _ABOUT}
    return Program(program.name, sizes).key
