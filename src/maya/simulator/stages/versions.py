"""Which record of an event a wait is for, in events that were put in another order."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from maya.simulator.rows import I64
from maya.simulator.stages.splice import Spliced, events_of_kind
from maya.trace import Capture
from maya.trace.blocks import Events
from maya.trace.format import Kind

_BEFORE, _OVER = -1, -2  # recorded before the word began; its counterpart is not in the new word


@dataclass(frozen=True, slots=True)
class _Records:
    """The records of a word: by event and version, the place of the letter and the number in it."""

    letter: dict[tuple[int, int], int]
    number: dict[tuple[int, int], int]


def renumber_versions(made: Events, capture: Capture, spliced: Spliced) -> None:
    """Make every record a version of its own; who waited for one waits for its counterpart.

    That is as many letters back as it was, if the same letter stands there; else in the last such
    letter before.
    """
    records = events_of_kind(capture, made, Kind.EVENT_RECORD)
    waits = events_of_kind(capture, made, Kind.EVENT_WAIT, Kind.SYNC)
    waits = waits[made["a"][waits] > 0]
    wanted = _counterparts(made[waits], waits, records, _read_records(capture, spliced), spliced)
    before = events_of_kind(capture, capture.events, Kind.EVENT_RECORD)
    newest = int(capture.events["b"][before].max(initial=0))
    made["b"][records] = newest + 1 + np.arange(len(records))
    inside = wanted >= 0
    for name in ("a", "b"):
        made[name][waits[inside]] = made[name][records[wanted[inside]]]
        made[name][waits[wanted == _OVER]] = 0  # an event that nobody records


def _read_records(capture: Capture, spliced: Spliced) -> _Records:
    begins = spliced.word.begins
    part = capture.events[int(begins[0]) : int(begins[-1])]
    records = events_of_kind(capture, part, Kind.EVENT_RECORD)
    letter = np.searchsorted(begins, records + begins[0], side="right") - 1
    number = np.arange(len(records)) - np.searchsorted(records + begins[0], begins)[letter]
    pairs = list(zip(part["a"][records].tolist(), part["b"][records].tolist(), strict=True))
    return _Records(
        dict(zip(pairs, letter.tolist(), strict=True)),
        dict(zip(pairs, number.tolist(), strict=True)),
    )


def _counterparts(
    asked: Events, waits: I64, records: I64, known: _Records, spliced: Spliced
) -> I64:
    """For each wait the place of its record among the records, or why there is none."""
    spelled = spliced.word.letters[spliced.order]
    first = np.searchsorted(records, spliced.first)  # by place of a letter
    count = np.diff(np.append(first, len(records)))
    made = np.full(len(waits), _BEFORE, np.int64)
    for index, pair in enumerate(zip(asked["a"].tolist(), asked["b"].tolist(), strict=True)):
        if (letter := known.letter.get(pair)) is None:
            continue
        here = int(spliced.place[waits[index]])
        at = here - (int(spliced.order[here]) - letter)
        if not (0 <= at <= here and spelled[at] == spliced.word.letters[letter]):
            at = _last(spelled[:here] == spliced.word.letters[letter])
        number = known.number[pair]
        made[index] = first[at] + number if at >= 0 and number < count[at] else _OVER
    return made


def _last(found: npt.NDArray[np.bool_]) -> int:
    """The last place that is true; -1 where none is."""
    places = np.flatnonzero(found)
    return int(places[-1]) if len(places) else -1
