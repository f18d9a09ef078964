"""CPU time of the program between calls, with the noise of the emulating machine taken out."""

import numpy as np
import numpy.typing as npt

from maya.simulate.rows import I64, Rows

# Calls of the same thread that tell one place in the program from another: the layers of a model
# are the same place, the same two calls elsewhere in it are not.
_CALLS_BEFORE, _CALLS_AFTER = 6, 2
_QUANTILE = 0.25  # contention and warm-up only ever add; the very least is luck
_MIX = np.uint64(0x9E3779B97F4A7C15)


def modelled_cpu_ns(rows: Rows) -> I64:
    """What usually passes before each call at its place in the program: a low quantile.

    The whole recording counts, not only the measured steps. A place that was passed once has no
    quantile; it counts no more than the median of its definition.
    """
    low, count = _grouped_quantile(rows.cpu_ns, _places(rows), _QUANTILE)
    return np.where(count > 1, low, np.minimum(rows.cpu_ns, _median_of_kind(rows)))


def _median_of_kind(rows: Rows) -> I64:
    return _grouped_quantile(rows.cpu_ns, rows.definition * 65536 + rows.thread, 0.5)[0]


def _places(rows: Rows) -> npt.NDArray[np.uint64]:
    """A hash of the calls around each call on its own thread."""
    order = np.argsort(rows.thread, kind="stable")
    thread = rows.thread[order].astype(np.uint64)
    word = rows.definition[order].astype(np.uint64) * _MIX ^ thread
    place = word.copy()
    for shift in (*range(1, _CALLS_BEFORE + 1), *range(-_CALLS_AFTER, 0)):
        neighbour = np.roll(word, shift)
        inside = np.roll(thread, shift) == thread
        edge = slice(None, shift) if shift > 0 else slice(shift, None)
        inside[edge] = False
        place = (place ^ (place >> np.uint64(29))) * _MIX + np.where(inside, neighbour, 0)
    made = np.empty(len(rows), np.uint64)
    made[order] = place
    return made


def _grouped_quantile(
    values: I64, key: npt.NDArray[np.generic], quantile: float
) -> tuple[I64, I64]:
    """For each value the lower quantile of all with its key, and how many they are."""
    order = np.lexsort((values, key))
    _, begin, count = np.unique(key[order], return_index=True, return_counts=True)
    chosen = values[order][begin + ((count - 1) * quantile).astype(np.int64)]
    result, size = np.empty(len(values), np.int64), np.empty(len(values), np.int64)
    result[order], size[order] = np.repeat(chosen, count), np.repeat(count, count)
    return result, size


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
