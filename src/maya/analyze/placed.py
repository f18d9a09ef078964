"""Which module and line of the program each piece of simulated work comes from."""

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from maya.analyze.intervals import I64
from maya.analyze.predicting import Prediction
from maya.trace.places import NOWHERE, Place, Places, looks_of, read_places


@dataclass(slots=True)
class PlaceNumbers:
    """Numbers for the places that a page or an export names."""

    prediction: Prediction
    all: list[Place] = field(default_factory=list)
    _numbers: dict[Place, int] = field(default_factory=dict)
    _read: dict[int, Places | None] = field(default_factory=dict)

    @property
    def known(self) -> bool:
        """Whether any rank told its places."""
        return any(self._places(index) for index in range(len(self.prediction.job.captures)))

    def of(self, index: int, calls: I64) -> I64:
        """For each of these calls of a launched rank; -1 where it is not known."""
        places = self._places(index)
        if places is None:
            return np.full(len(calls), -1, np.int64)
        job = self.prediction.job
        base = int(job.program.rank_begin[index])
        events = job.ranks[index].rows.event[calls - base]
        asked = self._by_event(index, places)
        return np.array([asked.get(event, -1) for event in events.tolist()], np.int64)

    def _places(self, index: int) -> Places | None:
        if index not in self._read:
            capture = self.prediction.job.captures[index]
            self._read[index] = read_places(capture.origin.capture if capture.origin else capture)
        return self._read[index]

    def _by_event(self, index: int, places: Places) -> dict[int, int]:
        """Events of the window -> the number of their place; the n-th of a step is the n-th."""
        capture, window = self.prediction.job.captures[index], self.prediction.job.windows[index]
        used = np.unique(capture.events["def"][window.begin : window.end]).tolist()
        looks_like = {number: looks_of(capture.definition(number)) for number in used}
        found: dict[int, int] = {}
        for first, last in pairwise((window.begin, *window.boundaries)):
            looks = [looks_like[number] for number in capture.events["def"][first:last].tolist()]
            turns, seen = Counter(looks), Counter[str]()
            for event, look in enumerate(looks, first):
                place = places.place(look, seen[look], turns[look])
                seen[look] += 1
                if place is not NOWHERE:
                    found[event] = self._number(place)
        return found

    def _number(self, place: Place) -> int:
        if place not in self._numbers:
            self._numbers[place] = len(self.all)
            self.all.append(place)
        return self._numbers[place]
