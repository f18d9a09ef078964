"""How wrong the durations may be, together."""

import math
from collections import defaultdict

import numpy as np

from maya.simulate.collate import Job

# Errors of one definition repeat in all its calls; errors of different ones are partly the same
# (one model, one clock), partly their own. The share that is common is an assumption.
COMMON = 0.3


def device_uncertainty(job: Job) -> float:
    """Relative, one sigma, of the device time of the measured steps."""
    spread: dict[object, float] = defaultdict(float)
    total = 0.0
    for rank, (calls, meaning) in enumerate(zip(job.ranks, job.meanings, strict=True)):
        numbers, counts = np.unique(calls.rows.definition, return_counts=True)
        for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
            if estimate := meaning.estimates.get(number):
                time = estimate.duration_ns * count
                total += time
                spread[rank, number] += time * estimate.uncertainty
    for match, cost in zip(job.matches, job.communication, strict=True):
        time = cost.duration_ns * len(match.ranks)
        total += time
        spread[match.definition.op, cost.algorithm] += time * cost.uncertainty
    own = sum(value * value for value in spread.values())
    together = sum(spread.values()) ** 2
    return math.sqrt(COMMON * together + (1 - COMMON) * own) / total if total else 0.0


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
