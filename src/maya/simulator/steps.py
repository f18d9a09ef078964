"""Finds the steps to measure in the captures of a run."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from maya.simulator.cycles import Chosen, choose_steps
from maya.simulator.short_batches import short_steps
from maya.trace import Capture, CaptureError
from maya.trace.format import BOUNDARIES, LAUNCHES, Kind

_WORK = (Kind.KERNEL, Kind.LIBRARY, Kind.MEMSET, Kind.HOST_CALL, Kind.COLLECTIVE, Kind.GRAPH)
_STEPS_COMPARED = 256  # the last; a run of thousands would be compared for minutes
_WITHOUT_OPTIMIZER, _DIFFERENT = 3, 4  # how the emulator found steps: no optimiser; no two alike


@dataclass(frozen=True, slots=True)
class Window:
    """What to simulate of a capture: a step to warm up, then the steps between boundaries."""

    begin: int
    boundaries: tuple[int, ...]  # indices of events; a step lies between two of them
    steady: bool
    found: bool = True  # there are steps between the boundaries; else it is the whole capture
    cycle: int = 0  # the steps are a whole period of so many; 0 where all are alike
    unlike: int = 0  # steps beside these did other work, and were not seen to come again

    @property
    def end(self) -> int:
        """One past the last event."""
        return self.boundaries[-1]


@dataclass(frozen=True, slots=True)
class _Marks:
    pieces: dict[int, int]  # number of a piece -> the event before which it ends
    kinds: dict[int, int]  # and what work it did
    last: int
    period: int
    steps: int
    how: int
    launches: bool  # the pieces are launches of executables, which may be less than steps


def find_windows(captures: Sequence[Capture]) -> list[Window]:
    """The same steps of every rank."""
    windows = _windows(captures)
    for window, capture in zip(windows, captures, strict=True):
        edges = (window.begin, *window.boundaries)
        whole = all(first < last for first, last in pairwise(window.boundaries))
        if len(edges) < 3 or edges[0] > edges[1] or not whole:
            raise CaptureError(f"{capture.path.name}: its steps hold no calls")
    return windows


def _windows(captures: Sequence[Capture]) -> list[Window]:
    marks = [_marks(capture) for capture in captures]
    if all(m.steps and m.how != _WITHOUT_OPTIMIZER for m in marks):
        chosen, last = _chosen(marks, captures[0])
        return _alike([_steady(m, last, chosen) for m in marks])
    return _alike([_single(capture, m) for capture, m in zip(captures, marks, strict=True)])


def _chosen(marks: Sequence[_Marks], first: Capture) -> tuple[Chosen, int]:
    """The steps to measure, and the piece that ends the last of them."""
    period, wanted = marks[0].period, min(m.steps for m in marks)
    if any(m.how == _DIFFERENT or m.period != period for m in marks):
        return Chosen(0, wanted), min(m.last for m in marks)
    if not all(m.pieces for m in marks):
        raise CaptureError("steps are called steady, but none is there")
    last = min(max(m.pieces) for m in marks)
    # Steps end where the run was found to be steady, and whole periods before and behind it.
    last -= (last - marks[0].last) % period
    ends = sorted(range(last, 0, -period)[:_STEPS_COMPARED])
    short = short_steps(
        first, [marks[0].pieces.get(end - period, 0) for end in [*ends, last + period]]
    )
    kinds = [(few, *(_kind(m, end) for m in marks)) for end, few in zip(ends, short, strict=True)]
    chosen = choose_steps(kinds, wanted)
    return chosen, last - period * chosen.behind


def _kind(marks: _Marks, end: int) -> tuple[int, ...]:
    return tuple(marks.kinds.get(piece, 0) for piece in range(end - marks.period + 1, end + 1))


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
    kinds: dict[int, int] = {}
    last, period, steps, how, launches = 0, 1, 0, 0, False
    numbers = [d.id for d in capture.definitions() if d.kind == Kind.STEP]
    for index in np.flatnonzero(np.isin(events["def"], numbers)).tolist():
        definition = capture.definition(int(events["def"][index]))
        piece = int(events["a"][index])
        if definition.op in BOUNDARIES:
            launches |= definition.op == LAUNCHES
            # The boundary is noticed at the first work behind it, which stands just before.
            pieces[piece] = max(0, index - 1)
            kinds[piece] = int(events["b"][index])
        elif not steps:
            last, how = piece, definition.number("how")
            period = min(max(1, definition.number("period", 1)), len(events))
            steps = min(max(0, definition.number("steps")), len(events))
    return _Marks(pieces, kinds, last, period, steps, how, launches)


def _steady(marks: _Marks, last: int, chosen: Chosen) -> Window:
    wanted = [last - marks.period * k for k in range(chosen.count, -1, -1)]
    known = [number for number in wanted if number in marks.pieces]
    if not known:
        raise CaptureError(f"steps up to piece {last:,} are called steady, but none is there")
    before = marks.pieces.get(known[0] - marks.period, 0)
    ends = tuple(marks.pieces[number] for number in known)
    steady = marks.how != _DIFFERENT
    return Window(before, ends, steady, cycle=chosen.cycle, unlike=chosen.unlike)


def _single(capture: Capture, marks: _Marks) -> Window:
    """No steady steps: the best that the capture offers."""
    if marks.how == _WITHOUT_OPTIMIZER:
        return _periods(capture, marks)
    ends = [] if marks.launches else [marks.pieces[piece] for piece in sorted(marks.pieces)]
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
    if len(work) <= marks.period * steps:
        raise CaptureError(f"{capture.path.name}: {len(work)} calls hold no {steps} step(s)")
    ends = [int(work[-1 - marks.period * k]) for k in range(steps, -1, -1)]
    before = len(work) - 1 - marks.period * (steps + 1)
    return Window(int(work[before]) if before >= 0 else 0, tuple(ends), steady=True)


def _counts(kind: int, direction: int) -> bool:
    return kind in _WORK or (kind == Kind.COPY and direction != 2)
