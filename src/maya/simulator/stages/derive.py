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
from maya.rundir import StageFacts
from maya.simulator.rows import I64
from maya.simulator.stages.loops import Loop, alike, fold, unfold
from maya.simulator.stages.members import Move, Registry, moved_definitions, rename_communicators
from maya.simulator.stages.splice import lasting_events, splice
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

    def __init__(self, captures: Sequence[Capture], stages: StageFacts) -> None:
        self._stages = stages
        self._registry = Registry(captures)
        self._launched = {
            stages.chain.index(stage.capture.header.rank): stage
            for stage in _read_all(captures, stages)
        }
        self._pair = self._neighbours()

    def _neighbours(self) -> tuple[int, int]:
        places = [self._stages.chain.index(rank) for rank in self._stages.neighbours]
        if not places or not set(places) <= set(self._launched):
            raise UnequalStagesError("no two stages side by side were launched between the ends")
        return places[0], places[1]

    def confirm(self) -> None:
        """Raise where a launched stage is not what its place asks for, or none is left to tell."""
        if set(self._launched) == set(self._pair):
            raise UnequalStagesError("no other stage was launched that could confirm it")
        for place, stage in self._launched.items():
            source, orders = self._orders(place)
            for theirs, order, own in zip(source.words, orders, stage.words, strict=True):
                if not says_the_same(theirs, order, own):
                    raise UnequalStagesError(f"stage {place} does not follow from its neighbours")

    def derived(self) -> list[Capture]:
        """The recordings of the stages that were not launched."""
        places = map(self._stages.chain.index, self._stages.alike)
        return [self._derive(place) for place in places if place not in self._launched]

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
        kept = lasting_events(capture)
        begin, end = int(whole.begins[0]), int(whole.begins[-1])
        # The work at which the last step's end was noticed stands just before that.
        before, after = kept[kept < begin], np.union1d(kept[kept > end], [end])
        after = after[after < len(capture.events)]
        events = np.concatenate((capture.events[before], made, capture.events[after]))
        events["start_ns"] = np.maximum.accumulate(events["start_ns"])
        from_where = np.concatenate((before, spliced.source, after))
        move = Move(capture.header.rank, self._stages.chain[place], self._stages.chain)
        rename_communicators(events, capture, move, self._registry)
        definitions = moved_definitions(capture, move)
        return capture.moved(move.target, events, from_where, definitions)


def _read_all(captures: Sequence[Capture], facts: StageFacts) -> list[_Stage]:
    """The launched stages that are alike; what two neighbours have not both, in detail."""
    windows = find_windows(captures)
    stages = [
        (c, w) for c, w in zip(captures, windows, strict=True) if c.header.rank in facts.alike
    ]
    alphabet = Alphabet()
    letters = [
        joined(_spell(alphabet, capture, window, None)).letters
        for capture, window in stages
        if capture.header.rank in facts.neighbours
    ]
    common = reduce(np.intersect1d, letters) if letters else None
    words = [_spell(alphabet, capture, window, common) for capture, window in stages]
    return [
        _Stage(capture, steps, tuple(map(fold, steps)))
        for (capture, _), steps in zip(stages, words, strict=True)
    ]


def _spell(
    alphabet: Alphabet, capture: Capture, window: Window, common: Letters | None
) -> tuple[Word, ...]:
    edges = window.begin, *window.boundaries
    return tuple(alphabet.spell(capture, begin, end, common) for begin, end in pairwise(edges))
