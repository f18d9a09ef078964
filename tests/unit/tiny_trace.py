"""A profiler's trace of our own making: a linear layer, an addition, a convolution and its
gradients, twice."""

import gzip
import json
import sqlite3
from pathlib import Path
from typing import Any

from maya.testing.works import ADD_KERNEL

GPU = "Tesla V100-SXM2-32GB"
GEMM = "volta_sgemm_128x64_tn"
CONVOLUTION = "implicit_convolve_sgemm"
FLOATS = ["float", "float", "float"]
_ROUNDS = 2


def events(gemm_us: float = 100.0, add_us: float = 50.0) -> list[dict[str, Any]]:
    """Operators, launch calls and kernels."""
    found: list[dict[str, Any]] = []
    x, weight, y = [32, 64, 56, 56], [128, 64, 3, 3], [32, 128, 28, 28]
    for turn in range(_ROUNDS):
        _call(found, "aten::addmm", [[1024], [512, 256], [256, 1024]], GEMM, gemm_us + turn)
        _call(
            found, "aten::add", [[4096, 1024], [4096, 1024], []], ADD_KERNEL, add_us, (8192, 1, 1)
        )
        _call(found, "aten::cudnn_convolution", [x, weight, []], CONVOLUTION, 900.0)
        outer = _call(found, "aten::cudnn_convolution_backward", [x, y, weight])
        _call(found, "aten::cudnn_convolution_backward_input", [[], y, weight], "dgrad", 800.0)
        _call(found, "aten::cudnn_convolution_backward_weight", [[], y, x], "wgrad", 700.0)
        outer["dur"] = found[-1]["ts"] + 20 - outer["ts"]
    return found


def _call(
    found: list[dict[str, Any]],
    name: str,
    dims: list[list[int]],
    kernel: str = "",
    time_us: float = 0.0,
    grid: tuple[int, int, int] = (64, 1, 1),
) -> dict[str, Any]:
    at = 100.0 * len(found)
    shapes = {"Input Dims": dims, "Input type": FLOATS}
    operator = {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": at, "dur": 50.0}
    found.append({**operator, "args": shapes})
    if kernel:
        number = len(found)
        call = {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1}
        found.append({**call, "ts": at + 10, "dur": 5.0, "args": {"correlation": number}})
        told = {"device": 0, "correlation": number, "grid": list(grid), "block": [128, 1, 1]}
        span = {"ph": "X", "cat": "kernel", "name": kernel, "pid": 0, "tid": 7}
        found.append({**span, "ts": at + 20, "dur": time_us, "args": told})
    return found[-3] if kernel else found[-1]


def document(told: list[dict[str, Any]] | None = None, gpu: str = GPU) -> dict[str, Any]:
    """As torch.profiler writes it."""
    devices = [{"id": 0, "name": gpu}] if gpu else []
    return {"deviceProperties": devices, "traceEvents": events() if told is None else told}


def write(path: Path, told: dict[str, Any] | None = None) -> Path:
    """As text, or compressed if the name says so."""
    text = json.dumps(document() if told is None else told).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


def write_nsys(path: Path, mangled: str, time_ns: int, gpu: str = GPU) -> Path:
    """An export of nsys with one kernel."""
    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE StringIds (id INTEGER, value TEXT)")
        base.execute("CREATE TABLE TARGET_INFO_GPU (name TEXT)")
        base.execute(
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, gridX INTEGER, "
            "gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, "
            "mangledName INTEGER, demangledName INTEGER)"
        )
        base.execute("INSERT INTO StringIds VALUES (1, ?)", (mangled,))
        base.execute("INSERT INTO TARGET_INFO_GPU VALUES (?)", (gpu,))
        base.execute(
            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (5, ?, 9, 1, 1, 128, 1, 1, 1, 1)",
            (5 + time_ns,),
        )
    return path
