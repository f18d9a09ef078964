"""Which of PyTorch's operators ask for work: native/core/ranges keeps them for one step."""

from collections import defaultdict
from dataclasses import dataclass

from maya.trace.capture import Capture
from maya.trace.places import Told, Turns, looks_of, told_places


@dataclass(frozen=True, slots=True)
class Operator:
    """Its name, and the sizes of its inputs as PyTorch writes them; empty where it says none."""

    name: str
    sizes: str


@dataclass(frozen=True, slots=True)
class Enclosing:
    """The operators that a piece of work is asked for in, the outermost first."""

    operators: tuple[Operator, ...]
    shared: int  # of these, how many the work before it on the thread is in, too


def read_operators(capture: Capture) -> Turns[Enclosing] | None:
    """None where none were told."""
    found: dict[str, list[Enclosing]] = defaultdict(list)
    for told in told_places(capture):
        found[looks_of(capture.definition(told.work))].append(_enclosing(told))
    if not any(one.operators for row in found.values() for one in row):
        return None
    return Turns({looks: tuple(row) for looks, row in found.items()})


def _enclosing(told: Told) -> Enclosing:
    lines = told.about.text("operators").splitlines()
    return Enclosing(tuple(map(_operator, lines)), told.shared)


def _operator(line: str) -> Operator:
    """`aten::mm [[32, 10], [10, 128]]`; names of backward passes have blanks."""
    name, bracket, sizes = line.partition(" [")
    return Operator(name, bracket.lstrip() + sizes)
