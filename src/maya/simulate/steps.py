"""Finds the steps to measure in the captures of a run."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from maya.trace import Capture
from maya.trace.format import Kind

_WORK = (Kind.KERNEL, Kind.LIBRARY, Kind.MEMSET, Kind.HOST_CALL, Kind.COLLECTIVE, Kind.GRAPH)
_WITHOUT_OPTIMIZER, _DIFFERENT = 3, 4  # how the emulator found steps: no optimiser; no two alike


@dataclass(frozen=True, slots=True)
class Window:
    """What to simulate of a capture: a step to warm up, then the steps between boundaries."""

    begin: int
    boundaries: tuple[int, ...]  # indices of events; a step lies between two of them
    steady: bool
    found: bool = True  # there are steps between the boundaries; else it is the whole capture

    @property
    def end(self) -> int:
        """One past the last event."""
        return self.boundaries[-1]


@dataclass(frozen=True, slots=True)
class _Marks:
    pieces: dict[int, int]  # number of a piece -> the event before which it ends
    last: int
    period: int
    steps: int
    how: int


def find_windows(captures: Sequence[Capture]) -> list[Window]:
    """The same steps of every rank."""
    marks = [_marks(capture) for capture in captures]
    if all(m.steps and m.how != _WITHOUT_OPTIMIZER for m in marks):
        last = min(m.last for m in marks)
        return _alike([_steady(m, last) for m in marks])
    return _alike([_single(capture, m) for capture, m in zip(captures, marks, strict=True)])


def _alike(windows: list[Window]) -> list[Window]:
    """As many steps of every rank: one that was stopped earlier shows fewer."""
    steps = min((len(window.boundaries) for window in windows), default=0)
    return [
        window
        if len(window.boundaries) == steps
        else replace(
            window,
            begin=window.boundaries[-steps - 1],
            boundaries=window.boundaries[-steps:],
        )
        for window in windows
    ]


def _marks(capture: Capture) -> _Marks:
    events = capture.events
    pieces: dict[int, int] = {}
    last, period, steps, how = 0, 1, 0, 0
    numbers = [d.id for d in capture.definitions() if d.kind == Kind.STEP]
    for index in np.flatnonzero(np.isin(events["def"], numbers)).tolist():
        definition = capture.definition(int(events["def"][index]))
        piece = int(events["a"][index])
        if definition.op == "step_boundary":
            # The boundary is noticed at the first work behind it, which stands just before.
            pieces[piece] = max(0, index - 1)
        elif not steps:
            last, how = piece, definition.number("how")
            period, steps = definition.number("period", 1), definition.number("steps")
    return _Marks(pieces, last, period, steps, how)


def _steady(marks: _Marks, last: int) -> Window:
    wanted = [last - marks.period * k for k in range(marks.steps, -1, -1)]
    known = [number for number in wanted if number in marks.pieces]
    before = marks.pieces.get(known[0] - marks.period, 0)
    ends = tuple(marks.pieces[number] for number in known)
    return Window(before, ends, steady=marks.how != _DIFFERENT)


def _single(capture: Capture, marks: _Marks) -> Window:
    """No steady steps: the best that the capture offers."""
    if marks.how == _WITHOUT_OPTIMIZER:
        return _periods(capture, marks)
    ends = [marks.pieces[number] for number in sorted(marks.pieces)]
    if len(ends) > 2:
        return Window(ends[0], tuple(ends[1:]), steady=False)
    if len(ends) == 2:  # what comes before the first is start-up as well
        return Window(0, tuple(ends), steady=False)
    return Window(0, (0, len(capture.events)), steady=False, found=False)


def _periods(capture: Capture, marks: _Marks) -> Window:
    """A loop without optimiser: the period counts pieces of work."""
    kinds = [d.id for d in capture.definitions() if _counts(d.kind, d.number("direction"))]
    events = capture.events
    work = np.flatnonzero(np.isin(events["def"], kinds))
    steps = min(marks.steps, max(1, len(work) // marks.period - 1))
    ends = [int(work[-1 - marks.period * k]) for k in range(steps, -1, -1)]
    before = len(work) - 1 - marks.period * (steps + 1)
    return Window(int(work[before]) if before >= 0 else 0, tuple(ends), steady=True)


def _counts(kind: int, direction: int) -> bool:
    return kind in _WORK or (kind == Kind.COPY and direction != 2)
