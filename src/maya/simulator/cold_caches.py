"""What a program's CPU times gain because others used its caches while it was not running.

On a crowded machine a process gets a core for a millisecond or two at a time, and finds the caches
full of what others read. What a place in the program takes then falls off with the CPU time since
the process came back: 1 + depth * exp(-time / REFILL_NS). Passes through the same place, early and
late after a switch, tell the depth.
"""

import numpy as np
import numpy.typing as npt

from maya.simulator.rows import I64, Rows

# A private cache of 1 MiB holds 16,384 lines; from memory each takes some 40 ns, several at a time.
REFILL_NS = 700_000
_SWITCH_NS = 100_000  # off the core for longer: others ran
_LEAST_PASSES = 8
_LEAST_NS = 1_000  # shorter intervals are mostly the clock's own
_LEAST_SHARE = 0.1  # of the CPU time shortly after a switch: below, there is nothing to take out
_MOST_ROWS = 20_000  # for the fit
_MOST_DEPTH = 3.0
_WORST = 1.0  # of a deviation (a logarithm): a preempted pass is no evidence

F64 = npt.NDArray[np.float64]


def since_switch_ns(rows: Rows) -> I64:
    """CPU time of the process from its last return to a core to the beginning of each interval."""
    ended = np.maximum.accumulate(rows.start_ns + rows.call_ns)
    idle = np.zeros(len(rows), np.int64)
    idle[1:] = np.maximum(rows.start_ns[1:] - ended[:-1] - rows.cpu_ns[1:], rows.call_ns[:-1])
    switched = idle > _SWITCH_NS
    switched[:1] = True
    before = np.cumsum(rows.cpu_ns) - rows.cpu_ns
    since: I64 = before - before[np.flatnonzero(switched)][np.cumsum(switched) - 1]
    return since


def without_refill(cpu_ns: I64, since_ns: I64, place: npt.NDArray[np.generic]) -> I64:
    """The CPU times as they are with caches that nobody else uses."""
    early = cpu_ns[since_ns < 2 * REFILL_NS].sum()
    if early < _LEAST_SHARE * cpu_ns.sum():
        return cpu_ns
    depth = fitted_depth(cpu_ns, since_ns, place)
    warm: I64 = np.rint(cpu_ns / _slowdown(cpu_ns, since_ns, depth)).astype(np.int64)
    return warm


def fitted_depth(cpu_ns: I64, since_ns: I64, place: npt.NDArray[np.generic]) -> float:
    """The depth with which passes through the same place agree best."""
    chosen, number = _comparable(cpu_ns, since_ns, place)
    if not len(chosen):
        return 0.0
    cpu, since = cpu_ns[chosen], since_ns[chosen]

    def spread(depth: float) -> float:
        return _spread(cpu / _slowdown(cpu, since, depth), number)

    coarse = min(np.arange(0, _MOST_DEPTH + 0.01, 0.25), key=spread)
    fine = [coarse + step for step in (-0.125, -0.0625, 0.0, 0.0625, 0.125)]
    return float(min((max(0.0, depth) for depth in fine), key=spread))


def _slowdown(cpu_ns: I64, since_ns: I64, depth: float) -> F64:
    """The mean over each interval."""
    begin, length = since_ns / REFILL_NS, np.maximum(cpu_ns, 1) / REFILL_NS
    mean: F64 = 1 + depth * np.exp(-begin) * -np.expm1(-length) / length
    return mean


def _comparable(cpu_ns: I64, since_ns: I64, place: npt.NDArray[np.generic]) -> tuple[I64, I64]:
    """Rows of places that were passed often, in order of places, and the numbers of these.

    An interval in which the process lost its core may be of either kind.
    """
    rows = np.flatnonzero((cpu_ns >= _LEAST_NS) & (since_ns > 0))
    _, number, count = np.unique(place[rows], return_inverse=True, return_counts=True)
    often = count[number] >= _LEAST_PASSES
    rows, number = rows[often], number[often]
    every = -(-len(rows) // _MOST_ROWS)  # whole places, so that their passes stay together
    kept = number % max(every, 1) == 0
    order = np.argsort(number[kept], kind="stable")
    return rows[kept][order], number[kept][order]


def _spread(values: F64, number: I64) -> float:
    """How far values lie from the median of their place, in units of it."""
    order = np.lexsort((values, number))
    _, begin, count = np.unique(number, return_index=True, return_counts=True)
    middle = np.repeat(values[order][begin + count // 2], count)
    distance = np.minimum(np.abs(np.log(values / middle)), _WORST)
    return float(np.average(distance, weights=middle))
