"""A word written with repetitions, and the same word with other numbers of them.

Stages of one pipeline schedule differ in how often they do the same: so many micro-batches forward,
so many forward and backward in turns, so many backward.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from maya.simulator.rows import I64
from maya.simulator.stages.words import Letters, Word

_LONGEST_BODY = 16  # letters: a micro-batch forward and one backward take four to eight
_LONGEST_IN_DETAIL = 512  # calls of the weights' gradients of a micro-batch


@dataclass(frozen=True, slots=True)
class Loop:
    """Letters that come `count` times in a row, from a place in the word on."""

    begin: int
    body: tuple[int, ...]
    count: int

    def turns(self, count: int) -> list[int]:
        """Which of the turns to take, in order, to make it `count` of them.

        The first and the last stay; those in the middle are left out, or one of them is repeated.
        """
        if count <= self.count:
            first = (count + 1) // 2
            return [*range(first), *range(self.count - (count - first), self.count)]
        middle = self.count // 2
        repeated = [middle] * (count - self.count)
        return [*range(middle), *repeated, *range(middle, self.count)]


def fold(word: Word) -> list[Loop]:
    """The word as loops, from left to right whichever covers most; others come once."""
    turns = np.flatnonzero(np.diff(word.in_detail)) + 1
    edges = [0, *turns.tolist(), len(word)]
    return [
        loop
        for begin, end in pairwise(edges)
        if begin < end
        for loop in _fold_part(
            word.letters[begin:end],
            begin,
            _LONGEST_IN_DETAIL if word.in_detail[begin] else _LONGEST_BODY,
        )
    ]


def _fold_part(letters: Letters, begin: int, longest: int) -> Iterator[Loop]:
    most = min(longest, len(letters) // 2)
    reach = [_equal_ahead(letters, period) for period in range(1, most + 1)]
    at = 0
    while at < len(letters):
        period, count = _widest(reach, at)
        yield Loop(begin + at, tuple(letters[at : at + period].tolist()), count)
        at += period * count


def alike(some: Sequence[Loop], others: Sequence[Loop]) -> bool:
    """Whether they differ in how often their loops are passed alone.

    Calls may come in another order: torch keeps weights to be reduced in sets.
    """
    return len(some) == len(others) and all(
        sorted(one.body) == sorted(other.body) for one, other in zip(some, others, strict=True)
    )


def unfold(loops: Sequence[Loop], counts: Sequence[int]) -> I64:
    """Places of the word's letters, in order, with other numbers of turns."""
    places = [
        np.arange(loop.begin + turn * len(loop.body), loop.begin + (turn + 1) * len(loop.body))
        for loop, count in zip(loops, counts, strict=True)
        for turn in loop.turns(count)
    ]
    return np.concatenate(places).astype(np.int64) if places else np.zeros(0, np.int64)


def _equal_ahead(letters: Letters, period: int) -> I64:
    """For each place, how many letters from there on are the same as `period` later."""
    same = np.zeros(len(letters) + 1, np.bool_)
    same[: max(0, len(letters) - period)] = letters[period:] == letters[:-period]
    index = np.arange(len(same))
    following = np.where(same, len(same), index)
    ends = np.minimum.accumulate(following[::-1])[::-1]
    ahead: I64 = (ends - index).astype(np.int64)
    return ahead


def _widest(reach: Sequence[I64], at: int) -> tuple[int, int]:
    best = 1, 1
    for period, ahead in enumerate(reach, 1):
        count = int(ahead[at]) // period + 1
        if count > 1 and count * period > best[0] * best[1]:
            best = period, count
    return best
