"""How wrong the durations may be, together."""

import math
from collections import defaultdict
from statistics import NormalDist

import numpy as np

from maya.analyze.kernel_class import kernel_class
from maya.simulate.collate import Job

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
    for capture, calls, meaning in zip(job.captures, job.ranks, job.meanings, strict=True):
        numbers, counts = np.unique(calls.rows.definition, return_counts=True)
        for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
            if estimate := meaning.estimates.get(number):
                time = estimate.duration_ns * count
                total += time
                spread[kernel_class(capture.definition(number))] += time * estimate.uncertainty
    for match, cost in zip(job.matches, job.communication, strict=True):
        time = cost.duration_ns * len(match.ranks)
        total += time
        spread["communication"] += time * cost.uncertainty
    if not total:
        return 0.0
    return math.hypot(DEVICE, *(value / total for value in spread.values()))


def provenance(job: Job) -> dict[str, float]:
    """Shares of device time by where the durations came from."""
    times: dict[str, float] = dict.fromkeys(("measured", "learned", "analytical", "assumed"), 0.0)
    for calls, meaning in zip(job.ranks, job.meanings, strict=True):
        numbers, counts = np.unique(calls.rows.definition, return_counts=True)
        for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
            if estimate := meaning.estimates.get(number):
                times[str(estimate.source)] += estimate.duration_ns * count
    for match, cost in zip(job.matches, job.communication, strict=True):
        times[str(cost.source)] += cost.duration_ns * len(match.ranks)
    total = sum(times.values())
    return {source: time / total if total else 0.0 for source, time in times.items()}
