"""Where in the program work was asked for: native/core/places.cpp records it for one step."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from maya.trace.capture import Capture, Definition
from maya.trace.format import Kind
from maya.trace.problem import problem

_OP = "place"
_BACKWARD, _FORWARD = "backward", "forward"
_FUSED = " + "  # between modules whose operators became one kernel of torch.compile
_NUMBER = re.compile(r"(?<=\.)\d+(?=\.|$)")


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A line and a module of the program; layers that are alike have a `*` for their number."""

    module: str
    line: str
    phase: str  # forward, backward, optimizer, other


NOWHERE = Place("", "", "")


@dataclass(frozen=True, slots=True)
class Places:
    """By work that looks alike: the places of its calls in a step, in their order."""

    of: dict[str, tuple[Place, ...]]

    def place(self, looks: str, turn: int, turns: int) -> Place:
        """Of one of `turns` calls in a step; a step with more or fewer is stretched."""
        known = self.of.get(looks)
        if not known:
            return NOWHERE
        at = turn if turns == len(known) else turn * len(known) // max(1, turns)
        return known[min(at, len(known) - 1)]


def alike(module: str) -> str:
    """The name of a module without the numbers of layers; of several, each once."""
    names = (_NUMBER.sub("*", name) for name in module.split(_FUSED))
    return _FUSED.join(dict.fromkeys(names))


def looks_of(definition: Definition) -> str:
    """What a call looks like; arguments that change from step to step do not count."""
    return f"{definition.op} {definition.text('kernel')} {problem(definition)}"


def read_places(capture: Capture) -> Places | None:
    """None where the program is not PyTorch's, or came to no second step."""
    told = list(_told(capture))
    if not told:
        return None
    numbers, origins = _origins(told)
    found: dict[str, list[Place]] = defaultdict(list)
    for definition, place, number in told:
        looks = looks_of(capture.definition(definition))
        if place.phase == _BACKWARD and not place.module:
            found[looks].append(_with_origin(place, number, numbers, origins))
        else:
            found[looks].append(place)
    return Places({looks: tuple(places) for looks, places in found.items()})


def placed_events(capture: Capture) -> npt.NDArray[np.int64]:
    """Events that tell a place: one right after each piece of work of the step that was watched."""
    own = [d.id for d in capture.definitions() if d.op == _OP]
    return np.flatnonzero(np.isin(capture.events["def"], own))


def _told(capture: Capture) -> Iterator[tuple[int, Place, int]]:
    """Definition of the work, its place, and the sequence number; in the order of the capture."""
    own = {
        d.id: Place(alike(d.text("module")), d.text("line"), d.text("phase"))
        for d in capture.definitions()
        if d.op == _OP
    }
    if not own:
        return
    events = capture.events
    passive = [d.id for d in capture.definitions() if d.kind == Kind.STEP]
    before = _before(events["thread"], np.isin(events["def"], passive))
    for index in placed_events(capture).tolist():
        work = before[index]
        if work >= 0:
            definition, number = int(events["def"][index]), int(events["a"][index])
            yield int(events["def"][work]), own[definition], number


def _before(
    thread: npt.NDArray[np.uint16], skipped: npt.NDArray[np.bool_]
) -> npt.NDArray[np.int64]:
    """For each event the one before it of the same thread; -1 for none."""
    before = np.full(len(thread), -1, np.int64)
    for number in np.unique(thread).tolist():
        own = np.flatnonzero((thread == number) & ~skipped)
        before[own[1:]] = own[:-1]
    return before


def _origins(told: list[tuple[int, Place, int]]) -> tuple[list[int], list[Place]]:
    """Sequence numbers of forward work, in order, and its places."""
    first: dict[int, Place] = {}
    for _, place, number in told:
        if place.phase == _FORWARD:
            first.setdefault(number, place)
    numbers = sorted(first)
    return numbers, [first[number] for number in numbers]


def _with_origin(place: Place, number: int, numbers: list[int], origins: list[Place]) -> Place:
    """An operator takes a number for its node of backward, then launches its kernels."""
    at = bisect_left(numbers, number + 1)
    if at == len(numbers):
        return place
    return Place(origins[at].module, place.line or origins[at].line, place.phase)
