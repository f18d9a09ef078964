"""How fast this machine's CPU is, by a fixed piece of work like that of a framework's host side."""

import os
import threading
import time
from collections.abc import Sequence
from statistics import median
from types import TracebackType

_CALLS = 4000
_SORTED = 3000
_PAUSE_S = 0.4  # a round takes about 2 ms: half a per cent of a core
_FIRST_ROUNDS = 5
_QUIET_ROUNDS = 30


class Yardstick:
    """Measures while a program runs, so that what shares the machine weighs on both alike.

    The twentieth part of its rounds that is fastest tells the pace: among many threads most of
    them are disturbed, which only ever adds.
    """

    def __init__(self) -> None:
        self._rounds = [round_ns() for _ in range(_FIRST_ROUNDS)]
        self._loads = [load_per_cpu()]
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._measure, daemon=True)

    def __enter__(self) -> "Yardstick":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._done.set()
        self._thread.join()

    @property
    def cpu_ns(self) -> int:
        """CPU time of a round."""
        return _fast(self._rounds)

    @property
    def crowd(self) -> float:
        """How many threads wanted each CPU; a round, which fits the caches, hardly shows it."""
        return median(self._loads)

    def _measure(self) -> None:
        while not self._done.wait(_PAUSE_S):
            self._rounds.append(round_ns())
            self._loads.append(load_per_cpu())


def quiet_round_ns() -> int:
    """A round as it is when nothing is in its way, measured now."""
    return _fast([round_ns() for _ in range(_QUIET_ROUNDS)])


def _fast(rounds: Sequence[int]) -> int:
    return sorted(rounds)[len(rounds) // 20]


def load_per_cpu() -> float:
    """The load of the last minute, divided among the CPUs that this process may use."""
    return os.getloadavg()[0] / max(1, len(os.sched_getaffinity(0)))


def round_ns() -> int:
    """Interpreted calls, look-ups and allocations, and sorting in native code, about half each."""
    numbers = [(index * 7919) % 10007 for index in range(_SORTED)]
    start = time.thread_time_ns()
    _interpreted()
    for _ in range(3):
        sorted(numbers)
    return time.thread_time_ns() - start


class _Item:
    __slots__ = ("index", "name")

    def __init__(self, index: int, name: str) -> None:
        self.index = index
        self.name = name

    def key(self) -> tuple[int, str]:
        return self.index & 255, self.name


def _interpreted() -> int:
    found: dict[tuple[int, str], int] = {}
    for index in range(_CALLS):
        item = _Item(index, "item")
        found[item.key()] = found.get(item.key(), 0) + item.index
    return len(found)
