"""KernelBench: single operators of PyTorch in fp32, timed eagerly with events around a call."""

import json
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from statistics import median
from typing import Any

import polars as pl

from workshop.fit.dataset import read_table
from workshop.operators.case import is_kept

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
CURRENT = "2025-12"


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
    def kept(self) -> bool:
        """Whether its problem only judges, with all sizes and on every GPU."""
        return is_kept("kernelbench", f"{self.number}_{self.name}")


@cache
def timings(level: str) -> tuple[Timing, ...]:
    """Each problem of a level on each GPU."""
    found: dict[tuple[str, str, str], dict[bool, list[float]]] = defaultdict(dict)
    for row in _rows(level).iter_rows(named=True):
        runs = found[GPUS[row["hardware"]], row["problem"], row["constants"]]
        runs.setdefault(row["date"] >= CURRENT, []).append(row["mean_ms"])
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


# Problems of level 1 whose inputs are named otherwise than the rest.
_SIZES = {
    58: ("depth_in", "height_in", "width_in"),
    59: ("height", "width", "depth"),
    68: ("depth", "width", "height"),
    69: ("height_in", "width_in"),
    81: ("height_in", "width_in"),
    84: ("height_in", "width_in"),
}
_ALEXNET = {
    "in_channels": 3, "out_channels": 96, "kernel_size": 11, "stride": 4, "padding": 2,
    "height": 224, "width": 224,
}  # fmt: skip  # problem 50 has them in its code


_TUPLES = ("(height, width)", "(depth, height, width)", "(D, H, W)")


def layer_of(number: int, constants: dict[str, Any], transposed: bool) -> Layer:
    """From the constants of a problem; 0 where it names its sizes as most do."""
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
