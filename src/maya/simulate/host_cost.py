"""CPU time of the program between calls, with the noise of the emulating machine taken out."""

import numpy as np
import numpy.typing as npt

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
    """For each call, the last one before it that it may depend on; -1 where there is none.

    A thread that stood still while others called was waiting for them, so it depends on all that
    they did. One that computed meanwhile depends on what had returned when it began to.
    """
    index = np.arange(len(rows))
    ended = np.maximum.accumulate(rows.start_ns + rows.call_ns)
    began = rows.start_ns - rows.cpu_ns
    by_clock = np.minimum(np.searchsorted(ended, began, side="right"), index) - 1
    return np.where(_stood_still(rows, ended), index - 1, by_clock)


def _stood_still(rows: Rows, ended: I64) -> npt.NDArray[np.bool_]:
    """Whether a thread's CPU time since its last call leaves room for all that others called since.

    Other work on the emulating machine stretches the clock but not CPU time, so the answer for a
    thread that really waited is the same in every run, which the clock alone does not give.
    """
    index = np.arange(len(rows))
    order = np.argsort(rows.thread, kind="stable")
    previous = np.full(len(rows), -1)
    follows = rows.thread[order][1:] == rows.thread[order][:-1]
    previous[order[1:][follows]] = order[:-1][follows]
    known = previous >= 0
    last = np.maximum(previous, 0)
    returned = np.where(known, rows.start_ns[last] + rows.call_ns[last], rows.start_ns.min())
    others = ended[np.maximum(index - 1, 0)] - rows.start_ns[np.minimum(previous + 1, index)]
    rested_ns = rows.start_ns - returned - rows.cpu_ns
    waited: npt.NDArray[np.bool_] = (rested_ns >= others) & (index - previous > 1)
    return waited
