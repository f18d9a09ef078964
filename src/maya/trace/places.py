"""Where in the program work was asked for: native/core/places.cpp records it for one step."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

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


Fact = TypeVar("Fact")


@dataclass(frozen=True, slots=True)
class Turns(Generic[Fact]):
    """By work that looks alike: what is known of its calls in a step, in their order."""

    of: dict[str, tuple[Fact, ...]]

    def at(self, looks: str, turn: int, turns: int) -> Fact | None:
        """Of one of `turns` calls in a step; a step with more or fewer is stretched."""
        known = self.of.get(looks)
        if not known:
            return None
        at = turn if turns == len(known) else turn * len(known) // max(1, turns)
        return known[min(at, len(known) - 1)]


@dataclass(frozen=True, slots=True)
class Told:
    """What was said right after a piece of work."""

    work: int  # its definition
    about: Definition
    number: int  # PyTorch's sequence number
    shared: int  # how many of its operators the work before it on the thread is in, too


def alike(module: str) -> str:
    """The name of a module without the numbers of layers; of several, each once."""
    names = (_NUMBER.sub("*", name) for name in module.split(_FUSED))
    return _FUSED.join(dict.fromkeys(names))


def looks_of(definition: Definition) -> str:
    """What a call looks like; arguments that change from step to step do not count."""
    return f"{definition.op} {definition.text('kernel')} {problem(definition)}"


def read_places(capture: Capture) -> Turns[Place] | None:
    """None where the program is not PyTorch's, or came to no second step."""
    every = list(told_places(capture))
    if not every:
        return None
    place_of = {
        one.about.id: _place(one.about) for one in {one.about.id: one for one in every}.values()
    }
    told = [(one.work, place_of[one.about.id], one.number) for one in every]
    numbers, origins = _origins(told)
    found: dict[str, list[Place]] = defaultdict(list)
    looks_like = {work: looks_of(capture.definition(work)) for work in {one.work for one in every}}
    for definition, place, number in told:
        looks = looks_like[definition]
        if place.phase == _BACKWARD and not place.module:
            found[looks].append(_with_origin(place, number, numbers, origins))
        else:
            found[looks].append(place)
    return Turns({looks: tuple(places) for looks, places in found.items()})


def placed_events(capture: Capture) -> npt.NDArray[np.int64]:
    """Events that tell a place: one right after each piece of work of the step that was watched."""
    own = [d.id for d in capture.definitions() if d.op == _OP]
    return np.flatnonzero(np.isin(capture.events["def"], own))


def told_places(capture: Capture) -> Iterator[Told]:
    """In the order of the capture."""
    told = placed_events(capture)
    if not len(told):
        return
    events = capture.events
    passive = [d.id for d in capture.definitions() if d.kind == Kind.STEP]
    before = _before(events["thread"], np.isin(events["def"], passive))
    for index in told.tolist():
        definition, number, shared = (int(events[name][index]) for name in ("def", "a", "b"))
        if (work := before[index]) >= 0:
            about = capture.definition(definition)
            yield Told(int(events["def"][work]), about, number, shared)


def _place(about: Definition) -> Place:
    return Place(alike(about.text("module")), about.text("line"), about.text("phase"))


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
