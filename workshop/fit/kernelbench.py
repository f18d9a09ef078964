"""KernelBench: single operators of PyTorch in fp32, timed eagerly with events around a call."""

import json
import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from statistics import median
from typing import Any

import polars as pl

from workshop.fit.dataset import read_table

GPUS = {
    "NVIDIA L40S": "l40s",
    "NVIDIA H100 PCIe": "h100-pcie",
    "NVIDIA H100 80GB HBM3": "h100",
    "NVIDIA B200": "b200",
    "NVIDIA L4": "l4",
    "Tesla T4": "t4",
}
_EAGER = ("torch", "matx2", "matx3", "cleaned", "baseline_time")
# Versions of PyTorch differ in the library: those measured here since are the current one.
_CURRENT = "2025-12"


@dataclass(frozen=True, slots=True)
class Timing:
    """The median of eager runs of one problem on one GPU, by today's PyTorch where there are."""

    gpu: str
    number: int
    name: str
    constants: dict[str, Any]
    time_ms: float
    current: bool

    @property
    def shape(self) -> str:
        """The same on every GPU."""
        return f"{self.number},{json.dumps(self.constants, sort_keys=True)}"


@cache
def timings(level: str) -> tuple[Timing, ...]:
    """Each problem of a level on each GPU."""
    found: dict[tuple[str, str, str], dict[bool, list[float]]] = defaultdict(dict)
    for row in _rows(level).iter_rows(named=True):
        runs = found[GPUS[row["hardware"]], row["problem"], row["constants"]]
        runs.setdefault(row["date"] >= _CURRENT, []).append(row["mean_ms"])
    return tuple(_timing(*key, runs) for key, runs in sorted(found.items()))


def _timing(gpu: str, problem: str, constants: str, runs: dict[bool, list[float]]) -> Timing:
    number, _, name = problem.removesuffix(".py").partition("_")
    current = True in runs
    return Timing(gpu, int(number), name, json.loads(constants), median(runs[current]), current)


def _rows(level: str) -> pl.DataFrame:
    parameters = read_table("kernelbench", "problem_parameters.csv.gz")
    parameters = parameters.select("problem_blob", "constants").unique("problem_blob")
    rows = read_table("kernelbench", "timing.csv.gz").join(parameters, on="problem_blob")
    return rows.filter((pl.col("level") == level) & pl.col("config").is_in(_EAGER))


@dataclass(frozen=True, slots=True)
class Layer:
    """A convolution of the benchmark, forward."""

    n: int
    channels: int
    outs: int
    size: tuple[int, ...]
    filter: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]
    groups: int
    transposed: bool
    output_padding: tuple[int, ...]

    @property
    def result(self) -> tuple[int, ...]:
        """Its extents."""
        reach = [d * (f - 1) for d, f in zip(self.dilation, self.filter, strict=True)]
        sides = zip(self.size, self.stride, self.padding, reach, self.output_padding, strict=True)
        if self.transposed:
            return tuple((i - 1) * s - 2 * p + r + o + 1 for i, s, p, r, o in sides)
        return tuple((i + 2 * p - r - 1) // s + 1 for i, s, p, r, _ in sides)


# Problems of level 1 whose inputs are named otherwise than the rest.
_SIZES = {
    58: ("depth_in", "height_in", "width_in"),
    59: ("height", "width", "depth"),
    68: ("depth", "width", "height"),
    69: ("height_in", "width_in"),
    81: ("height_in", "width_in"),
    84: ("height_in", "width_in"),
}
_TRANSPOSED = (58, 61, 65, 68, 69, 70, 72, 73, 74, 75, 78, 81)
_PLAIN = (50, 55, 56, 59, 60, 62, 63, 67, 76, 80, 87)
_ALEXNET = {
    "in_channels": 3, "out_channels": 96, "kernel_size": 11, "stride": 4, "padding": 2,
    "height": 224, "width": 224,
}  # fmt: skip  # problem 50 has them in its code


# Problems of level 2: a convolution with its bias, and elementwise kernels behind it. How often all
# of these read or write the result.
_FUSED = {
    1: 6, 2: 12, 4: 6, 7: 12, 16: 10, 20: 15, 25: 3, 32: 5, 36: 3, 47: 6, 54: 8, 57: 13, 69: 6,
    71: 6, 74: 9, 90: 10, 93: 10, 100: 6,
}  # fmt: skip
_TUPLES = ("(height, width)", "(depth, height, width)", "(D, H, W)")


def convolutions() -> Iterator[tuple[Timing, Layer, int]]:
    """And how often kernels behind walk the result; depthwise ones in fp32 are PyTorch's own."""
    for timing in timings("level1"):
        if "conv" in timing.name and timing.number in (*_TRANSPOSED, *_PLAIN):
            transposed = timing.number in _TRANSPOSED
            yield timing, _layer(timing.number, timing.constants, transposed), 0
    for timing in timings("level2"):
        if "Conv" in timing.name and timing.number in _FUSED:
            transposed = "Transpose" in timing.name
            yield timing, _layer(0, timing.constants, transposed), _FUSED[timing.number]


def _layer(number: int, constants: dict[str, Any], transposed: bool) -> Layer:
    given = constants | (_ALEXNET if number == 50 else {})
    size = _size(number, given)

    def each(name: str, usual: int) -> tuple[int, ...]:
        value = given.get(name, usual)
        return tuple(value) if isinstance(value, list) else (value,) * len(size)

    taps = each("kernel_size", 1)
    if number == 59:
        taps = (*taps[:2], 1)
    if number == 68:
        taps = tuple(given[f"kernel_{side}"] for side in ("depth", "width", "height"))
    return Layer(
        given["batch_size"], given["in_channels"], given["out_channels"], size, taps,
        each("stride", 1), each("padding", 0), each("dilation", 1), given.get("groups", 1),
        transposed, each("output_padding", 0),
    )  # fmt: skip


def _size(number: int, given: dict[str, Any]) -> tuple[int, ...]:
    named = next((given[name] for name in _TUPLES if name in given), None)
    if named:
        return tuple(named)
    if "length" in given:
        return (int(given["length"]),)
    if "height" in given and "width" not in given and number not in _SIZES:
        sides = (given["height"],) * 2
        return (given["depth"], *sides) if "depth" in given else sides
    usual = ("depth", "height", "width") if "depth" in given else ("height", "width")
    return tuple(int(given[name]) for name in _SIZES.get(number, usual))


def volume(extents: tuple[int, ...]) -> int:
    """Elements."""
    return math.prod(extents)
