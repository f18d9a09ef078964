"""Lengths of unions of time intervals."""

import numpy as np
import numpy.typing as npt

I64 = npt.NDArray[np.int64]


def clip(start: I64, end: I64, low: int, high: int) -> tuple[I64, I64]:
    """The parts of intervals between low and high; empty ones left out."""
    first, last = np.maximum(start, low), np.minimum(end, high)
    kept = last > first
    return first[kept], last[kept]


def covered(start: I64, end: I64) -> int:
    """How much time at least one interval covers."""
    if not len(start):
        return 0
    order = np.argsort(start, kind="stable")
    first, reach = start[order], np.maximum.accumulate(end[order])
    gaps = np.maximum(0, first[1:] - reach[:-1])
    return int(reach[-1] - first[0] - gaps.sum())


def outside(start: I64, end: I64, other_start: I64, other_end: I64) -> int:
    """How much time the first intervals cover and the others do not."""
    both = covered(np.concatenate((start, other_start)), np.concatenate((end, other_end)))
    return both - covered(other_start, other_end)
