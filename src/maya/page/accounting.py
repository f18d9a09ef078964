"""Where the time of a step goes: every moment of every rank is counted once."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from maya.analyze.intervals import I64, clip, covered, outside
from maya.page.work import RankWork

COMMUNICATION = "communication, exposed"
WAITING = "waiting for other ranks"
IDLE = "idle"


@dataclass(frozen=True, slots=True)
class Share:
    """Milliseconds of a step, mean over the launched ranks."""

    name: str
    ms: float


def own_time(work: RankWork, low_ns: int, high_ns: int) -> I64:
    """For each piece the time in which nothing before it still ran: overlap counts once."""
    start = np.clip(work.start_ns, low_ns, high_ns)
    end = np.clip(work.end_ns, low_ns, high_ns)
    end = np.where(work.collective, start, end)
    reach = np.maximum.accumulate(np.concatenate(([low_ns], end)))[:-1]
    return np.maximum(0, end - np.maximum(start, reach))


def exposed(work: RankWork, low_ns: int, high_ns: int) -> tuple[int, int]:
    """Communication with no kernel beside it: all of it, and the part that only waits for peers."""
    moved = work.collective
    kernels = clip(work.start_ns[~moved], work.end_ns[~moved], low_ns, high_ns)
    whole = clip(work.start_ns[moved], work.end_ns[moved], low_ns, high_ns)
    moving = clip(work.moving_ns[moved], work.end_ns[moved], low_ns, high_ns)
    total = outside(*whole, *kernels)
    return total, total - outside(*moving, *kernels)


def shares(
    ranks: Sequence[tuple[RankWork, Sequence[str]]], low_ns: int, high_ns: int, steps: int
) -> list[Share]:
    """By class of kernel (one for each piece of work), communication, waiting and idle time."""
    totals: dict[str, float] = defaultdict(float)
    for work, classes in ranks:
        for name, time_ns in _of_rank(work, classes, low_ns, high_ns):
            totals[name] += time_ns / 1e6 / steps / len(ranks)
    last = (COMMUNICATION, WAITING, IDLE)
    first = sorted((n for n in totals if n not in last), key=lambda n: -totals[n])
    return [Share(name, totals[name]) for name in (*first, *last) if totals[name] > 0]


def _of_rank(
    work: RankWork, classes: Sequence[str], low_ns: int, high_ns: int
) -> Iterator[tuple[str, float]]:
    own = own_time(work, low_ns, high_ns)
    yield from zip(classes, own.tolist(), strict=True)
    total, waiting = exposed(work, low_ns, high_ns)
    yield COMMUNICATION, total - waiting
    yield WAITING, waiting
    busy = covered(*clip(work.start_ns, work.end_ns, low_ns, high_ns))
    yield IDLE, high_ns - low_ns - busy
