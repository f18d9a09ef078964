"""Which module, line and operators of the program each piece of simulated work comes from."""

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from maya.analyze.intervals import I64
from maya.analyze.predicting import Prediction
from maya.trace import Capture
from maya.trace.operators import Enclosing, read_operators
from maya.trace.places import Fact, Place, Turns, looks_of, read_places


@dataclass(slots=True)
class PlaceNumbers:
    """Numbers for the places that a page or an export names."""

    prediction: Prediction
    all: list[Place] = field(default_factory=list)
    _numbers: dict[Place, int] = field(default_factory=dict)
    _read: dict[int, Turns[Place] | None] = field(default_factory=dict)
    _by_rank: dict[int, dict[int, int]] = field(default_factory=dict)  # numbers by event

    @property
    def known(self) -> bool:
        """Whether any rank told its places."""
        return any(self._places(index) for index in range(len(self.prediction.job.captures)))

    def of(self, index: int, calls: I64) -> I64:
        """For each of these calls of a launched rank; -1 where it is not known."""
        places = self._places(index)
        if places is None:
            return np.full(len(calls), -1, np.int64)
        numbered = self._by_rank.get(index)
        if numbered is None:
            found = _by_event(self.prediction, index, places)
            numbered = {event: self._number(place) for event, place in found.items()}
            self._by_rank[index] = numbered
        events = _events(self.prediction, index, calls)
        return np.array([numbered.get(event, -1) for event in events], np.int64)

    def _places(self, index: int) -> Turns[Place] | None:
        if index not in self._read:
            self._read[index] = read_places(_recorded(self.prediction, index))
        return self._read[index]

    def _number(self, place: Place) -> int:
        if place not in self._numbers:
            self._numbers[place] = len(self.all)
            self.all.append(place)
        return self._numbers[place]


def enclosing_operators(
    prediction: Prediction, index: int, calls: I64
) -> list[Enclosing | None] | None:
    """For each of these calls of a launched rank; None where none are known."""
    operators = read_operators(_recorded(prediction, index))
    if operators is None:
        return None
    found = _by_event(prediction, index, operators)
    return [found.get(event) for event in _events(prediction, index, calls)]


def _recorded(prediction: Prediction, index: int) -> Capture:
    """The capture that a rank's was made from, if it was made."""
    capture = prediction.job.captures[index]
    return capture.origin.capture if capture.origin else capture


def _events(prediction: Prediction, index: int, calls: I64) -> list[int]:
    """Of the capture, for each call of the simulated program."""
    job = prediction.job
    events: list[int] = (
        job.ranks[index].rows.event[calls - int(job.program.rank_begin[index])].tolist()
    )
    return events


def _by_event(prediction: Prediction, index: int, turns: Turns[Fact]) -> dict[int, Fact]:
    """What is known of the events of the window; the n-th of a step is the n-th."""
    capture, window = prediction.job.captures[index], prediction.job.windows[index]
    used = np.unique(capture.events["def"][window.begin : window.end]).tolist()
    looks_like = {number: looks_of(capture.definition(number)) for number in used}
    found: dict[int, Fact] = {}
    for first, last in pairwise((window.begin, *window.boundaries)):
        looks = [looks_like[number] for number in capture.events["def"][first:last].tolist()]
        often, seen = Counter(looks), Counter[str]()
        for event, look in enumerate(looks, first):
            fact = turns.at(look, seen[look], often[look])
            seen[look] += 1
            if fact is not None:
                found[event] = fact
    return found
