"""The time of a step by module and by line of the program."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from maya.analyze.intervals import I64
from maya.analyze.placed import PlaceNumbers
from maya.trace.places import NOWHERE, Place

_PHASES = ("forward", "backward", "other")
_ELSEWHERE = "(not known)"
_SCRIPT = "(training loop)"


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
