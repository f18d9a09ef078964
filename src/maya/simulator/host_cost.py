"""CPU time of the program between calls, with the noise of the emulating machine taken out."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from maya.simulator.cold_caches import since_switch_ns, without_refill
from maya.simulator.places import call_kinds, places_of
from maya.simulator.rows import I64, Rows
from maya.simulator.undisturbed import undisturbed
from maya.trace import Capture

_ENOUGH = 3  # undisturbed passes: long steps leave no time for more
_QUANTILE = 0.25  # contention and warm-up only ever add; the very least is luck


def modelled_cpu_ns(captures: Sequence[Capture], rows: Sequence[Rows]) -> list[I64]:
    """For each rank and event what usually passes before the call at its place in the program.

    The whole recording counts, of all ranks, not only the measured steps. What was made from others
    takes what they do.
    """
    launched = [(c, r) for c, r in zip(captures, rows, strict=True) if c.origin is None]
    usual = _usual_by_event([c for c, _ in launched], [r for _, r in launched])
    by_capture = {id(c): own for (c, _), own in zip(launched, usual, strict=True)}
    return [
        by_capture[id(c.origin.capture)][c.origin.source] if c.origin else by_capture[id(c)]
        for c in captures
    ]


def _usual_by_event(captures: Sequence[Capture], rows: Sequence[Rows]) -> list[I64]:
    kinds = call_kinds(captures)
    place = np.concatenate([places_of(one, own) for one, own in zip(rows, kinds, strict=True)])
    held = np.concatenate([undisturbed(c, own) for c, own in zip(captures, rows, strict=True)])
    since_ns = np.concatenate([since_switch_ns(one) for one in rows])
    cpu_ns = np.concatenate([one.cpu_ns for one in rows])
    usual = usual_ns(
        np.where(held, cpu_ns, without_refill(cpu_ns, since_ns, place)),
        place,
        np.concatenate([own[one.definition] for one, own in zip(rows, kinds, strict=True)]),
        held,
    )
    parts = np.split(usual, np.cumsum([len(one) for one in rows])[:-1])
    return [_by_event(c, r, part) for c, r, part in zip(captures, rows, parts, strict=True)]


def usual_ns(
    cpu_ns: I64, place: npt.NDArray[np.generic], kind: I64, held: npt.NDArray[np.bool_]
) -> I64:
    """The low quantile of all passes through each place; of those that nobody disturbed, if any.

    A place that was passed once has no quantile; it counts no more than the median of its kind.
    """
    chosen = held | ~np.isin(place, _often(place[held]))
    low, count = _quantile_of_chosen(cpu_ns, place, chosen)
    middle, _ = _grouped_quantile(cpu_ns, kind, 0.5)
    return np.where(count > 1, low, np.minimum(cpu_ns, middle))


def _often(place: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    known, count = np.unique(place, return_counts=True)
    often: npt.NDArray[np.generic] = known[count >= _ENOUGH]
    return often


def _quantile_of_chosen(
    cpu_ns: I64, place: npt.NDArray[np.generic], chosen: npt.NDArray[np.bool_]
) -> tuple[I64, I64]:
    """For every row the quantile of its place's chosen rows, and how many these are."""
    low, count = _grouped_quantile(cpu_ns[chosen], place[chosen], _QUANTILE)
    known, first = np.unique(place[chosen], return_index=True)
    at = np.searchsorted(known, place)
    return low[first][at], count[first][at]


def _by_event(capture: Capture, rows: Rows, cpu_ns: I64) -> I64:
    made = np.zeros(len(capture.events), np.int64)
    made[rows.event] = cpu_ns
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
