"""The recordings of pipeline stages that were not launched, from two neighbours that were.

All stages between the first and the last do the same pieces of work and exchange the same messages;
a schedule decides how often they do so before others. Where two neighbours differ in how often a
loop is passed, the difference goes on in equal steps from stage to stage. Launched stages that were
not used to tell it confirm that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise

import numpy as np

from maya.errors import MayaError
from maya.simulator.rows import I64
from maya.simulator.stages.loops import Loop, alike, fold, unfold
from maya.simulator.stages.members import Move, Registry, moved_definitions, rename_communicators
from maya.simulator.stages.splice import splice
from maya.simulator.stages.versions import renumber_versions
from maya.simulator.stages.words import Alphabet, Letters, Word, joined, says_the_same
from maya.simulator.steps import Window, find_windows
from maya.trace import Capture


class UnequalStagesError(MayaError):
    """Stages that do not differ by their schedule alone."""


@dataclass(frozen=True, slots=True)
class _Stage:
    """A launched one: the words of its steps, and each as loops."""

    capture: Capture
    words: tuple[Word, ...]
    loops: tuple[list[Loop], ...]


class Stages:
    """The stages of a pipeline, of which some were launched."""

    def __init__(self, captures: Sequence[Capture], chain: tuple[int, ...]) -> None:
        self._chain = chain
        self._registry = Registry(captures)
        place = {rank: index for index, rank in enumerate(chain)}
        self._launched = {
            place[stage.capture.header.rank]: stage
            for stage in _read_all(captures, set(chain[1:-1]))
        }
        self._pair = self._neighbours()

    def _neighbours(self) -> tuple[int, int]:
        """Two stages side by side, as far from both ends as there are."""
        middle = (len(self._chain) - 1) / 2
        sides = [one for one in self._launched if one + 1 in self._launched]
        if not sides:
            raise UnequalStagesError("no two stages side by side were launched between the ends")
        first = min(sides, key=lambda one: abs(one + 0.5 - middle))
        return first, first + 1

    def confirm(self) -> None:
        """Raise where a launched stage between the ends is not what its place asks for."""
        for place, stage in self._launched.items():
            source, orders = self._orders(place)
            for theirs, order, own in zip(source.words, orders, stage.words, strict=True):
                if not says_the_same(theirs, order, own):
                    raise UnequalStagesError(f"stage {place} does not follow from its neighbours")

    def derived(self) -> list[Capture]:
        """The recordings of the stages that were not launched."""
        between = range(1, len(self._chain) - 1)
        return [self._derive(place) for place in between if place not in self._launched]

    def _orders(self, place: int) -> tuple[_Stage, list[I64]]:
        """The stage to take letters from, and their order in each step.

        Ranks with odd numbers may send before they receive: letters come from a stage as odd.
        """
        one, other = (self._launched[index] for index in self._pair)
        source = self._launched[self._pair[(place - self._pair[0]) % 2]]
        away, orders = place - self._pair[0], []
        for first, second, own in zip(one.loops, other.loops, source.loops, strict=True):
            if not alike(first, second):
                raise UnequalStagesError("two stages side by side do not do the same")
            counts = [
                a.count + (b.count - a.count) * away for a, b in zip(first, second, strict=True)
            ]
            if min(counts) < 1:
                raise UnequalStagesError(f"stage {place} would pass a loop less than once")
            orders.append(unfold(own, counts))
        return source, orders

    def _derive(self, place: int) -> Capture:
        source, orders = self._orders(place)
        capture, whole = source.capture, joined(source.words)
        firsts = np.cumsum([0, *(len(word) for word in source.words)])
        order = np.concatenate([o + f for o, f in zip(orders, firsts, strict=False)])
        made, spliced = splice(capture, whole, order)
        renumber_versions(made, capture, spliced)
        begin, end = int(whole.begins[0]), int(whole.begins[-1])
        events = np.concatenate((capture.events[:begin], made, capture.events[end:]))
        move = Move(capture.header.rank, self._chain[place], self._chain)
        rename_communicators(events, capture, move, self._registry)
        return capture.moved(move.target, events, moved_definitions(capture, move))


def _read_all(captures: Sequence[Capture], between: set[int]) -> list[_Stage]:
    """The launched stages between the ends; what is not the same in all of them in detail."""
    windows = find_windows(captures)
    stages = [(c, w) for c, w in zip(captures, windows, strict=True) if c.header.rank in between]
    alphabet = Alphabet()
    words = [_spell(alphabet, capture, window, None) for capture, window in stages]
    common = reduce(np.intersect1d, (joined(steps).letters for steps in words))
    return [
        _Stage(c, steps, tuple(map(fold, steps)))
        for c, w in stages
        for steps in [_spell(alphabet, c, w, common)]
    ]


def _spell(
    alphabet: Alphabet, capture: Capture, window: Window, common: Letters | None
) -> tuple[Word, ...]:
    edges = window.begin, *window.boundaries
    return tuple(alphabet.spell(capture, begin, end, common) for begin, end in pairwise(edges))
