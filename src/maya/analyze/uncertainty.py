"""How wrong the durations may be, together."""

import math
from collections import defaultdict
from collections.abc import Iterator
from statistics import NormalDist

import numpy as np

from maya.analyze.kernel_class import kernel_class
from maya.estimate import Estimate
from maya.estimate.collectives import CollectiveEstimate
from maya.simulate.collate import Job
from maya.trace import Definition

# Errors within a class of kernels (products, convolutions, ...) come from one model and are taken
# as the same: they do not average out over many kernels. Classes err on their own. What concerns
# all kernels of a device (clocks, power, other versions of libraries than those that were
# measured) comes on top: the least whole per cent at which the interval held its share of the
# seen cases of docs/accuracy.md that had been run by then, 62 of 73.
DEVICE = 0.07
# The share of measurements that the printed interval is to hold, and its half-width in standard
# deviations of a normal distribution.
COVERAGE = 0.85
WIDTH = NormalDist().inv_cdf((1 + COVERAGE) / 2)


def device_uncertainty(job: Job) -> float:
    """Relative, one sigma, of the device time of the measured steps."""
    spread: dict[str, float] = defaultdict(float)
    total = 0.0
    for work, estimate, time in _work(job):
        total += time
        spread[kernel_class(work)] += time * estimate.uncertainty
    for cost, time in _communication(job):
        total += time
        spread["communication"] += time * cost.uncertainty
    if not total:
        return 0.0
    return math.hypot(DEVICE, *(value / total for value in spread.values()))


def provenance(job: Job) -> dict[str, float]:
    """Shares of device time by where the durations came from."""
    times: dict[str, float] = dict.fromkeys(("measured", "learned", "analytical", "assumed"), 0.0)
    for _, estimate, time in _work(job):
        times[str(estimate.source)] += time
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


def _work(job: Job) -> Iterator[tuple[Definition, Estimate, float]]:
    """Each definition with the time of all its calls, over the launched ranks."""
    for capture, calls, meaning in zip(job.captures, job.ranks, job.meanings, strict=True):
        numbers, counts = np.unique(calls.rows.definition, return_counts=True)
        for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
            if estimate := meaning.estimates.get(number):
                yield capture.definition(number), estimate, float(estimate.duration_ns * count)


def _communication(job: Job) -> Iterator[tuple[CollectiveEstimate, float]]:
    for match, cost in zip(job.matches, job.communication, strict=True):
        yield cost, float(cost.duration_ns * len(match.ranks))
