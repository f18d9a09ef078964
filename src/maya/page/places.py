"""The time of a step by module and by line of the program."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from maya.analyze.intervals import I64
from maya.analyze.predicting import Prediction
from maya.page.work import RankWork
from maya.trace.places import NOWHERE, Place, Places, looks_of, read_places

_PHASES = ("forward", "backward", "other")
_ELSEWHERE = "(not known)"
_SCRIPT = "(training loop)"


@dataclass(slots=True)
class PlaceNumbers:
    """Numbers for the places that a page names."""

    prediction: Prediction
    all: list[Place] = field(default_factory=list)
    _numbers: dict[Place, int] = field(default_factory=dict)
    _read: dict[int, Places | None] = field(default_factory=dict)

    @property
    def known(self) -> bool:
        """Whether any rank told its places."""
        return any(self._places(index) for index in range(len(self.prediction.job.captures)))

    def of(self, work: RankWork) -> I64:
        """For each piece of work; -1 where it is not known."""
        places = self._places(work.index)
        if places is None:
            return np.full(len(work), -1, np.int64)
        job = self.prediction.job
        base = int(job.program.rank_begin[work.index])
        events = job.ranks[work.index].rows.event[work.call - base]
        asked = self._by_event(work.index, places)
        return np.array([asked.get(event, -1) for event in events.tolist()], np.int64)

    def _places(self, index: int) -> Places | None:
        if index not in self._read:
            self._read[index] = read_places(self.prediction.job.captures[index])
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


def place_rows(
    works: Sequence[tuple[I64, I64]], numbers: PlaceNumbers, scale: float
) -> dict[str, list[dict[str, Any]]]:
    """Modules and lines, the longest first; `works`: places and own time of each rank's work."""
    modules: dict[str, dict[str, float]] = defaultdict(lambda: dict.fromkeys(_PHASES, 0.0))
    lines: dict[str, dict[str, float]] = defaultdict(lambda: dict.fromkeys(_PHASES, 0.0))
    for places, own_ns in works:
        time = np.bincount(places + 1, weights=own_ns, minlength=len(numbers.all) + 1)
        for place, time_ns in zip((NOWHERE, *numbers.all), time.tolist(), strict=True):
            if time_ns:
                phase = place.phase if place.phase in _PHASES else "other"
                modules[_module(place)][phase] += time_ns * scale
                lines[place.line or _ELSEWHERE][phase] += time_ns * scale
    return {"modules": _rows(modules), "lines": _rows(lines)}


def _module(place: Place) -> str:
    if place is NOWHERE:
        return _ELSEWHERE
    return place.module or _SCRIPT


def _rows(found: dict[str, dict[str, float]]) -> list[dict[str, Any]]:
    rows = [{"name": name, "ms": sum(parts.values()), **parts} for name, parts in found.items()]
    return sorted(rows, key=lambda row: -float(row["ms"]))
