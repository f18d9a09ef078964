"""FlagPerf's operators of a thousand million elements on A100-40, by the kernel's own time."""

from typing import Any

from workshop.measurements.store import Measurements
from workshop.operators.case import Case, Program

SOURCE = "flagperf"
_GPUS = {"A100_40_SXM": "a100-40"}
_DTYPES = {"FP32": "float32", "FP16": "float16", "BF16": "bfloat16"}
_SHAPE = [1024, 1024, 1024]
_LARGE = "Melements: 1024;"
_ONE = ("abs", "cos", "exp", "gelu", "neg", "pow", "reciprocal", "rsqrt", "sin")
_BY_NUMBER = ("div", "mul")  # moves two tensors by its times
_TWO = ("add", "eq", "gt", "le", "lt", "ne")
_ALL = ("max", "prod", "sum")
_NS_PER_US = 1000.0


def cases(data: Measurements) -> list[Case]:
    """What PyTorch itself does; rows that time a backward pass as well are left out."""
    rows = data.table("flagperf").iter_rows(named=True)
    return [case for row in rows for case in _case(row)]


def _case(row: dict[str, Any]) -> list[Case]:
    dtype = _DTYPES.get(row["dtype"])
    found = _program(row["op"], dtype) if dtype else None
    usable = row["lib"] == "nativetorch" and row["config"].startswith(_LARGE)
    if not found or not usable or row["gpu"] not in _GPUS:
        return []
    family, program = found
    measured_ns = row["kerneltime_us"] * _NS_PER_US
    return [
        Case(SOURCE, row["op"], family, program, _GPUS[row["gpu"]], measured_ns, looked_at=True)
    ]


def _program(op: str, dtype: str) -> tuple[str, Program] | None:
    sizes = {"shape": _SHAPE, "dtype": dtype}
    if op in _ONE:
        return "elementwise", Program(op, sizes)
    if op in _BY_NUMBER:
        return "elementwise", Program("scale", sizes)
    if op in _TWO:
        return "elementwise", Program("binary", {**sizes, "function": op})
    if op in _ALL:
        return "reduction", Program("whole_reduction", {**sizes, "function": op})
    return None
