"""How wrong the durations may be, together."""

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from maya.estimate import Estimate, Source
from maya.estimate.collectives import CollectiveEstimate
from maya.estimate.measured import MEASUREMENT
from maya.estimate.sustained import load_parameters
from maya.hardware import Gpu
from maya.simulator.collate import Job
from maya.trace import Definition
from maya.trace.kernel_class import kernel_class

# Errors within a class of kernels (products, convolutions, ...) come from one model and are taken
# as the same: they do not average out over many kernels. Classes err on their own. What concerns
# all kernels of a device (clocks, power, other versions of libraries than those that were
# measured) comes on top: the least whole per cent at which the interval held its share of the
# seen cases of docs/accuracy.md that had been run by then, 62 of 73.
DEVICE = 0.07
_TOLD_BY_STEPS = ("matmul", "attention")
# What whole steps err by has the errors of all their kernels in it, so what is added for other
# classes counts twice: with this share of what is told by steps (usually two thirds) taken off,
# the interval holds its share of the 62 seen cases of docs/accuracy-language.md on A100 and H100
# that the device decides about, each source once; of its 58 unseen ones it holds 88 %.
_COUNTED_TWICE = 0.3
_MEASURED = str(Source.MEASURED)  # by the user, of whatever class


def _sums() -> defaultdict[str, float]:
    return defaultdict(float)


@dataclass(slots=True)
class Doubts:
    """Times of classes of kernels, and what they may err by, summed up."""

    gpu: Gpu
    total: float = 0.0
    measured: float = 0.0
    times: defaultdict[str, float] = field(default_factory=_sums)
    spread: defaultdict[str, float] = field(default_factory=_sums)

    def add(self, kind: str, time: float, error: float, sign: int = 1) -> None:
        """Work of a class; a sign of -1 takes it out again."""
        self.total += sign * time
        self.measured += sign * time * (kind == _MEASURED)
        self.times[kind] += sign * time
        self.spread[kind] += sign * time * error

    def measure(self, kind: str, time: float, error: float) -> None:
        """The same work, once it is measured."""
        self.add(kind, time, error, sign=-1)
        self.add(_MEASURED, time, MEASUREMENT)

    def copy(self) -> "Doubts":
        """To try something out."""
        return replace(self, times=self.times.copy(), spread=self.spread.copy())

    @property
    def sigma(self) -> float:
        """Relative, one sigma.

        Where whole steps have told how long products and attention take under load, what such
        steps of other sources still err by stands for the errors of both and of the device as a
        whole. What the user measured has the device's own clocks and libraries in it.
        """
        if not self.total:
            return 0.0
        known, total = load_parameters(self.gpu), self.total
        told = sum(self.times[kind] for kind in _TOLD_BY_STEPS) / total if known else 0.0
        others = [
            value / total
            for kind, value in self.spread.items()
            if not told or kind not in _TOLD_BY_STEPS
        ]
        plain = DEVICE * (1 - told - self.measured / total)
        together = math.hypot(plain + (known.residual if known else 0.0) * told, *others)
        return (1 - _COUNTED_TWICE * told) * together


def doubts_of(job: Job, gpu: Gpu) -> Doubts:
    """Of the device time of the measured steps."""
    found = Doubts(gpu)
    for kind, time, error, _ in doubtful_work(job):
        found.add(kind, time, error)
    for cost, time in _communication(job):
        found.add("communication", time, cost.uncertainty)
    return found


def doubtful_work(job: Job) -> Iterator[tuple[str, float, float, Definition]]:
    """Class, time and error of each definition."""
    for work, estimate, time in _work(job):
        own = _MEASURED if estimate.source == Source.MEASURED else kernel_class(work)
        yield own, time, estimate.uncertainty, work


def device_uncertainty(job: Job, gpu: Gpu) -> float:
    """Relative, one sigma, of the device time of the measured steps."""
    return doubts_of(job, gpu).sigma


def provenance(job: Job) -> dict[str, float]:
    """Shares of device time by where the durations came from.

    Kernels that nothing is known of count with the most that they may take: what was guessed too
    short would otherwise make its own share small.
    """
    times: dict[str, float] = dict.fromkeys(("measured", "learned", "analytical", "assumed"), 0.0)
    for _, estimate, time in _work(job):
        most = max(1.0, estimate.most_ns / estimate.duration_ns)
        times[str(estimate.source)] += time * most
    for cost, time in _communication(job):
        times[str(cost.source)] += time
    total = sum(times.values())
    return {source: time / total if total else 0.0 for source, time in times.items()}


def data_decided(job: Job) -> float:
    """Share of the time of kernels and copies in kernels whose loops end where data says."""
    total = decided = 0.0
    for _, estimate, time in _work(job):
        total += time
        decided += time * estimate.data_decides
    return decided / total if total else 0.0


def not_understood(job: Job) -> dict[str, int]:
    """Launches of a known family whose arguments made no sense, by family."""
    launches: dict[str, int] = defaultdict(int)
    for work, estimate, count in _counted(job):
        if not estimate.understood:
            launches[work.family.name] += count
    return dict(launches)


def _work(job: Job) -> Iterator[tuple[Definition, Estimate, float]]:
    """Each definition with the time of all its calls, over the launched ranks."""
    for work, estimate, count in _counted(job):
        yield work, estimate, float(estimate.duration_ns * count)


def _counted(job: Job) -> Iterator[tuple[Definition, Estimate, int]]:
    for capture, calls, table in zip(job.captures, job.ranks, job.definition_tables, strict=True):
        numbers, counts = np.unique(calls.rows.definition, return_counts=True)
        for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
            if estimate := table.estimates.get(number):
                yield capture.definition(number), estimate, count


def _communication(job: Job) -> Iterator[tuple[CollectiveEstimate, float]]:
    for match, cost in zip(job.matches, job.communication, strict=True):
        yield cost, float(cost.duration_ns * len(match.ranks))
