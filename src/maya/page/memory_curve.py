"""Memory over a step: moments of the recorded one, put where the simulated one has that work."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from maya.analyze.allocator import Curve
from maya.analyze.intervals import I64
from maya.analyze.predicting import Prediction
from maya.page.work import RankWork
from maya.trace import Capture
from maya.trace.places import placed_events


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
    moments = _moments(curve, prediction.job.captures[index], works[index], low, high)
    return {
        "rank": works[index].rank,
        "names": curve.names,
        "at": (moments - low).tolist(),
        "bytes": [
            list(column) for column in zip(*(held for _, held in curve.samples), strict=True)
        ],
    }


def _moments(curve: Curve, capture: Capture, work: RankWork, low: int, high: int) -> I64:
    """The n-th work of the recorded step stands for the n-th of the simulated one."""
    moments = np.array([moment for moment, _ in curve.samples], np.int64)
    recorded = placed_events(capture)
    starts = np.sort(np.clip(work.start_ns, low, high))
    if not len(recorded) or not len(starts):
        span = max(1, int(moments[-1] - moments[0]))
        even: I64 = low + (moments - moments[0]) * (high - low) // span
        return even
    clock_us = capture.header.start_unix_ns // 1000
    launched = clock_us + capture.events["start_ns"][recorded].astype(np.int64) // 1000
    ordinal = np.searchsorted(launched, moments) / len(launched)
    found: I64 = starts[np.minimum((ordinal * len(starts)).astype(np.int64), len(starts) - 1)]
    return np.maximum.accumulate(found)
