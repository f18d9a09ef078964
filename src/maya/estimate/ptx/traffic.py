"""Bytes that a thread block moves, in sectors of 32 bytes, by the pointer they are reached from.

Accesses between two turns of a loop are looked at together: what several threads or instructions
touch there is fetched once (the L1 cache). After a few turns of a loop the rest is extrapolated.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from maya.estimate.ptx.registers import REGION_BITS
from maya.estimate.ptx.values import UNKNOWN, Value

SECTOR = 32
_LONG = 4  # sectors in a row, from which on their ends are seams rather than scattered accesses
_HALF = 1 << (REGION_BITS - 1)
Key = tuple[int, bool]  # pointer, whether it is written
OUTSIDE = -1  # of any loop


@dataclass(slots=True)
class Turn:
    """What one turn of a loop moved."""

    moved: float
    low: int
    high: int
    step: int = 0  # from the turn before
    seams: float = 0.0  # of what was moved, bytes at both ends that nobody here asked for
    row_end: int = 0  # of the first row


@dataclass(slots=True)
class Extent:
    """The lowest and highest byte that were seen behind a pointer."""

    low: int
    high: int
    gathered: bool = False  # addresses depend on data

    def widen(self, low: int, high: int) -> None:
        """Include more."""
        self.low, self.high = min(self.low, low), max(self.high, high)


@dataclass(slots=True)
class Ledger:
    """Of one walk through a block."""

    moved: dict[tuple[int, Key], float] = field(default_factory=lambda: defaultdict(float))
    extents: dict[Key, Extent] = field(default_factory=dict)
    seams: dict[Key, float] = field(default_factory=lambda: defaultdict(float))  # in loops
    waits: dict[int, float] = field(default_factory=lambda: defaultdict(float))  # dependent trips
    _open: dict[Key, list[Any]] = field(default_factory=lambda: defaultdict(list))
    _asked: dict[Key, int] = field(default_factory=lambda: defaultdict(int))
    _waiting: bool = False
    _turns: dict[int, dict[Key, Turn]] = field(default_factory=dict)
    _waited: dict[int, bool] = field(default_factory=dict)

    def touch(self, address: Value, active: Any, size: int, *, writes: bool, waits: bool) -> None:
        """One access by all active threads."""
        places = np.atleast_1d(np.asarray(address.number, dtype=np.int64))
        if isinstance(active, np.ndarray):
            places = places[active] if len(places) == len(active) else places[: int(active.any())]
        elif not active:
            return
        if not len(places):
            return
        key = (int(places[0] + _HALF) >> REGION_BITS, writes)
        sectors = places // SECTOR
        last = (places + size - 1) // SECTOR
        if size > SECTOR or np.any(last != sectors):
            sectors = np.concatenate([sectors, last])
        self._open[key].append(sectors)
        self._asked[key] += len(np.unique(places)) * size
        self._waiting |= waits and not writes
        if address.known == UNKNOWN:
            self.extents.setdefault(key, Extent(1 << 62, -(1 << 62))).gathered = True

    def close(self, loop: int) -> None:
        """The end of a turn, or of the kernel."""
        turns: dict[Key, Turn] = {}
        for key, pieces in self._open.items():
            sectors = np.unique(np.concatenate(pieces))
            low, high = int(sectors[0]) * SECTOR, int(sectors[-1] + 1) * SECTOR
            moved = float(len(sectors) * SECTOR)
            before = self._turns.get(loop, {}).get(key)
            seams = _seams(sectors, self._asked[key], before)
            step = low - before.low if before else 0
            turns[key] = Turn(moved, low, high, step, seams, _row_end(sectors))
            self.moved[loop, key] += moved
            self.seams[key] += seams if loop != OUTSIDE else 0.0
            self.extents.setdefault(key, Extent(low, high)).widen(low, high)
        self._open.clear()
        self._asked.clear()
        self._turns[loop] = turns
        self.waits[loop] += self._waiting
        self._waited[loop], self._waiting = self._waiting, False

    def repeat(self, loop: int) -> None:
        """A turn like the last one, a step further."""
        for key, turn in self._turns.get(loop, {}).items():
            turn.low += turn.step
            turn.high += turn.step
            self.moved[loop, key] += turn.moved
            self.seams[key] += turn.seams
            self.extents[key].widen(turn.low, turn.high)
        self.waits[loop] += self._waited.get(loop, False)


def _seams(sectors: Any, asked: int, before: Turn | None) -> float:
    """Bytes of the first and last sectors of rows that are not aligned, which belong to others.

    A block that walks along its rows asks for them itself, in its next turn.
    """
    rows = 1 + int(np.count_nonzero(np.diff(sectors) > 1))
    along = before is None or int(sectors[0]) * SECTOR < before.row_end
    if along or len(sectors) < rows * _LONG:
        return 0.0
    return max(0.0, float(len(sectors) * SECTOR - asked))


def _row_end(sectors: Any) -> int:
    """Where the first stretch of neighbouring sectors ends."""
    breaks = np.flatnonzero(np.diff(sectors) > 1)
    return int(sectors[breaks[0]] if len(breaks) else sectors[-1]) * SECTOR + SECTOR
