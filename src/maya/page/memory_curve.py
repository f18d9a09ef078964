"""Memory over a step: moments of the recorded one, put where the simulated one has that work."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from maya.analyze.allocator import Curve, read_allocator
from maya.analyze.moments import simulated_moments
from maya.analyze.predicting import Prediction
from maya.analyze.world import rank_of
from maya.page.work import RankWork
from maya.trace import Capture


def memory_curve(prediction: Prediction, works: Sequence[RankWork]) -> dict[str, Any] | None:
    """Of the fullest rank that told it; times are of the step of the timeline, in nanoseconds."""
    told = [
        (memory.peak_allocated_bytes, index, memory.allocator.curve)
        for index, memory in enumerate(prediction.memory)
        if memory.allocator and memory.allocator.curve and memory.allocator.curve.samples
    ]
    if not told:
        return None
    _, index, curve = max(told, key=lambda one: one[0])
    low, high = prediction.step_ends_ns[-2:]
    recorded = np.array([moment for moment, _ in curve.samples], np.int64)
    capture, starts = prediction.job.captures[index], works[index].start_ns
    moments = simulated_moments(recorded, capture, starts, low, high)
    return {
        "rank": works[index].rank,
        "names": curve.names,
        "at": (moments - low).tolist(),
        "bytes": _columns(curve),
    }


def failed_curve(captures: Sequence[Capture]) -> dict[str, Any] | None:
    """Up to the allocation that failed, of the first rank where one did; moments are numbers of
    changes: there is no predicted time without a step."""
    for index, capture in enumerate(captures):
        allocator = read_allocator(capture.path)
        failure = allocator.out_of_memory if allocator else None
        if failure and failure.curve and failure.curve.samples:
            return _failed(rank_of(capture, index), failure.curve)
    return None


def _failed(rank: int, curve: Curve) -> dict[str, Any]:
    return {
        "rank": rank,
        "failed": True,
        "names": curve.names,
        "at": [moment for moment, _ in curve.samples],
        "bytes": _columns(curve),
    }


def _columns(curve: Curve) -> list[list[int]]:
    return [list(column) for column in zip(*(held for _, held in curve.samples), strict=True)]
