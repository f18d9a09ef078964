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
from workshop.operators.sources.kernelbench_sizes import CURRENT

GPUS = {
    "NVIDIA L40S": "l40s",
    "NVIDIA H100 PCIe": "h100-pcie",
    "NVIDIA H100 80GB HBM3": "h100",
    "NVIDIA B200": "b200",
    "NVIDIA L4": "l4",
    "Tesla T4": "t4",
}
_EAGER = ("torch", "matx2", "matx3", "cleaned", "baseline_time")


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
