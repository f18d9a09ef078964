"""The events of a stage in the order of another: some turns of a loop left out, or come again."""

from dataclasses import dataclass

import numpy as np

from maya.simulator.rows import I64
from maya.simulator.stages.words import Word
from maya.trace import Capture
from maya.trace.blocks import Events
from maya.trace.format import Kind

_GROUP_SHIFT = 32  # numbers of NCCL groups in a recording stay below this many bits


@dataclass(frozen=True, slots=True)
class Spliced:
    """The events of a new word, and where they come from."""

    word: Word  # of the capture
    order: I64  # places of its letters in the new word's order
    source: I64  # by event: its index in the capture
    place: I64  # by event: the place of its letter in the new word
    first: I64  # by place: its first event


def splice(capture: Capture, word: Word, order: I64) -> tuple[Events, Spliced]:
    """The events of the word with its letters in the given order, at times that follow."""
    sizes = np.diff(word.begins)[order]
    first = np.cumsum(sizes) - sizes
    place = np.repeat(np.arange(len(order)), sizes)
    source = word.begins[order][place] + np.arange(len(place)) - first[place]
    made = capture.events[source].copy()
    spliced = Spliced(word, order, source, place, first)
    _set_times(made, capture, spliced)
    _renumber_groups(made, capture, spliced)
    return made, spliced


def events_of_kind(capture: Capture, events: Events, *kinds: Kind) -> I64:
    """Places of the events of some kinds."""
    ids = [about.id for about in capture.definitions() if about.kind in kinds]
    return np.flatnonzero(np.isin(events["def"], ids))


def lasting_events(capture: Capture) -> I64:
    """Events that matter wherever they are: what is made, messages by their number, steps."""
    kinds = (Kind.COLLECTIVE, Kind.COMM, Kind.STREAM, Kind.STEP, Kind.THREAD, Kind.INFO)
    return events_of_kind(capture, capture.events, *kinds)


def _set_times(made: Events, capture: Capture, spliced: Spliced) -> None:
    """Let letters follow each other as they did; each lasts as long as it did."""
    began = capture.events["start_ns"].astype(np.int64)
    edges = began[np.minimum(spliced.word.begins, len(began) - 1)]
    lasts = np.diff(edges)[spliced.order]
    moved = edges[0] + np.cumsum(lasts) - lasts - edges[:-1][spliced.order]
    made["start_ns"] = (began[spliced.source] + moved[spliced.place]).astype(np.uint64)


def _renumber_groups(made: Events, capture: Capture, spliced: Spliced) -> None:
    """Calls of a turn that comes again are no NCCL group with those of the first time."""
    calls = events_of_kind(capture, made, Kind.COLLECTIVE)
    grouped = calls[made["b"][calls] > 0]
    made["b"][grouped] += (spliced.place[grouped] + 1).astype(np.uint64) << np.uint64(_GROUP_SHIFT)
