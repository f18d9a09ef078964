"""Norms that cuDNN's benchmark measured of PyTorch, eager and compiled."""

from typing import Any

from maya.units import NS_PER_MS
from workshop.measurements.store import Measurements
from workshop.operators.case import BACKWARD, FORWARD, Case, Program
from workshop.operators.sources.gpus import GPUS

SOURCE = "cudnn_norms"
_BACKENDS = {"pytorch": False, "torch_compile": True}
_PROGRAMS = {"rms_norm": "fused_rms_norm", "layer_norm": "layer_norm"}


def cases(data: Measurements) -> list[Case]:
    """Both directions of each shape."""
    return [
        case
        for row in data.table("cudnn_norms").iter_rows(named=True)
        if row["backend"] in _BACKENDS and row["success"] and row["gpu_name"] in GPUS
        for case in _both(row)
    ]


def _both(row: dict[str, Any]) -> list[Case]:
    problem = f"{row['norm_type']},{row['N']},{row['C']}"
    parameters = {"shape": [row["N"], row["C"]], "dtype": "bfloat16", "gradient": True}
    times = {FORWARD: row["fwd_time_ms"], BACKWARD: row["bwd_time_ms"]}
    return [
        Case(SOURCE, problem, "norm", _program(row, parameters, direction), GPUS[row["gpu_name"]],
             time_ms * NS_PER_MS)
        for direction, time_ms in times.items()
        if time_ms
    ]  # fmt: skip


def _program(row: dict[str, Any], parameters: dict[str, Any], direction: str) -> Program:
    return Program(_PROGRAMS[row["norm_type"]], parameters, direction, _BACKENDS[row["backend"]])
