"""Moments of the step that the allocator was watched in, put where the simulated step is."""

import numpy as np

from maya.analyze.intervals import I64
from maya.trace import Capture
from maya.trace.places import placed_events


def simulated_moments(moments_us: I64, capture: Capture, start_ns: I64, low: int, high: int) -> I64:
    """The n-th work of the recorded step stands for the n-th of the simulated one.

    `moments_us` are of the clock; `start_ns` is when each piece of the simulated step begins.
    """
    recorded = placed_events(capture)
    starts = np.sort(np.clip(start_ns, low, high))
    if not len(recorded) or not len(starts):
        span = max(1, int(moments_us[-1] - moments_us[0]))
        even: I64 = low + (moments_us - moments_us[0]) * (high - low) // span
        return even
    clock_us = capture.header.start_unix_ns // 1000
    launched = clock_us + capture.events["start_ns"][recorded].astype(np.int64) // 1000
    ordinal = np.searchsorted(launched, moments_us) / len(launched)
    found: I64 = starts[np.minimum((ordinal * len(starts)).astype(np.int64), len(starts) - 1)]
    return np.maximum.accumulate(found)
