"""CPU time of the program between calls, with the noise of the emulating machine taken out."""

import numpy as np

from maya.simulate.rows import I64, Rows
from maya.simulate.steps import Window


def steady_cpu_ns(rows: Rows, window: Window) -> I64:
    """The least that each call took over the repeated steps; contention only ever adds.

    Where the steps cannot be laid side by side, no call counts more than the median of its kind.
    """
    cuts = np.searchsorted(rows.event, (window.begin, *window.boundaries))
    if window.steady and (least := _least(rows, cuts)) is not None:
        return least
    return _capped(rows)


def _least(rows: Rows, cuts: I64) -> I64 | None:
    begin, first = int(cuts[0]), int(cuts[1])
    size = int(cuts[-1]) - int(cuts[-2])
    steps = [slice(int(cut) - size, int(cut)) for cut in cuts[1:] if cut - size >= begin]
    shape = rows.definition[steps[-1]], rows.thread[steps[-1]]
    same = [
        s
        for s in steps
        if np.array_equal(rows.definition[s], shape[0]) and np.array_equal(rows.thread[s], shape[1])
    ]
    if len(same) < 2 or not size:
        return None
    least = np.min([rows.cpu_ns[s] for s in same], axis=0)
    cpu = _capped(rows) if first else rows.cpu_ns.copy()
    for s in same:
        cpu[s] = least
    return cpu


def _capped(rows: Rows) -> I64:
    """Calls of one definition on one thread, each at most their median."""
    key = rows.definition * 65536 + rows.thread
    order = np.lexsort((rows.cpu_ns, key))
    _, begin, count = np.unique(key[order], return_index=True, return_counts=True)
    medians = rows.cpu_ns[order][begin + count // 2]
    cap = np.empty(len(rows), np.int64)
    cap[order] = np.repeat(medians, count)
    return np.minimum(rows.cpu_ns, cap)


def issue_after(rows: Rows) -> I64:
    """For each call, the last one before it that it may depend on: all that had returned when its
    thread began to compute, by the recorded clock. -1 where there is none."""
    ended = np.maximum.accumulate(rows.start_ns + rows.call_ns)
    began = rows.start_ns - rows.cpu_ns
    return np.minimum(np.searchsorted(ended, began, side="right"), np.arange(len(rows))) - 1
