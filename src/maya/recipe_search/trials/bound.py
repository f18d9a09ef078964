"""The least time that a step can take, from what a run has submitted so far.

A stream does one thing after another and waits for events. Walking a rank's record with nothing but
durations, streams and events therefore gives a time that its step cannot beat: the host, other
ranks, shared links and everything that is still to come only add to it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from maya.errors import MayaError
from maya.estimate.collectives import CollectiveCall, CollectiveModel
from maya.hardware import Cluster
from maya.rundir import RunDirectory
from maya.simulator.matching import communicators
from maya.simulator.work import Durations, Estimates
from maya.trace import Capture, Definition, read_capture
from maya.trace.format import Kind
from maya.trace.problem import collective_bytes
from maya.trace.saving import saving_mask

_WORK = (Kind.KERNEL, Kind.LIBRARY, Kind.COPY, Kind.MEMSET)
_WALKED = (*_WORK, Kind.COLLECTIVE, Kind.EVENT_RECORD, Kind.EVENT_WAIT, Kind.STEP)
_COMPUTE = (Kind.KERNEL, Kind.LIBRARY)
_Row = tuple[int, int, int, int]  # definition, stream, a, b


@dataclass(frozen=True, slots=True)
class Least:
    """What is known of a step's time."""

    step_ns: int = 0  # it takes at least that long
    steps: int = 0  # that were seen whole, so that more of them would say no more


class StepBound:
    """Bounds for runs on one cluster; a kind of work is estimated once."""

    def __init__(self, cluster: Cluster, durations: Durations) -> None:
        self._estimates = Estimates(durations, cluster.gpu, {})
        self._collectives = CollectiveModel(cluster)

    def so_far(self, directory: Path) -> Least:
        """Of the run's ranks the slowest; nothing until the second step has begun."""
        found = Least()
        for path in RunDirectory(directory).capture_files():
            try:
                capture = read_capture(path)
            except MayaError:  # its first bytes are being written
                continue
            rank = self._of_capture(capture)
            found = Least(max(found.step_ns, rank.step_ns), max(found.steps, rank.steps))
        return found

    def _of_capture(self, capture: Capture) -> Least:
        walk = _Walk(capture, self._costs(capture))
        for row in _rows(capture):
            walk.take(*row)
        return Least(walk.longest_ns, max(0, walk.boundaries - 1))

    def _costs(self, capture: Capture) -> dict[int, int]:
        comms = communicators(capture)
        costs = {}
        for definition in capture.definitions():
            if definition.kind in _WORK:
                costs[definition.id] = self._estimates.of(definition).duration_ns
            elif definition.kind == Kind.COLLECTIVE and "peer" not in definition.fields:
                comm = comms.get(definition.number("comm"))
                members = comm.members if comm else ()
                costs[definition.id] = self._collective_ns(definition, members)
        return costs

    def _collective_ns(self, definition: Definition, members: tuple[int, ...]) -> int:
        everybody = members or tuple(range(definition.number("nranks")))
        call = CollectiveCall(definition.op, collective_bytes(definition), everybody)
        return self._collectives.estimate(call).duration_ns


class _Walk:
    """One rank's streams, from the end of one step to that of the next.

    The first step does not count: nobody says where it begins, and it tunes and prepares for the
    others. Nor do copies and collectives that no kernel waits for: they may take several steps.
    """

    def __init__(self, capture: Capture, costs: dict[int, int]) -> None:
        definitions = list(capture.definitions())
        self._kinds = {d.id: d.kind for d in definitions if d.kind in _WALKED}
        self._boundaries = {d.id for d in definitions if d.op == "step_boundary"}
        self._costs = costs
        self._clocks: dict[int, int] = {}
        self._events: dict[tuple[int, int], int] = {}
        self._group: dict[int, tuple[int, int]] = {}  # stream -> number of a group, its beginning
        self._latest = 0
        self._begin: int | None = None
        self._steps_ns: list[int] = []  # the last is not over
        self.boundaries = 0

    @property
    def longest_ns(self) -> int:
        """Of the steps; of three or more the second: one may do what only every tenth does."""
        longest = sorted(self._steps_ns, reverse=True)
        return longest[min(1, len(longest) // 3)] if longest else 0

    def take(self, definition: int, stream: int, a: int, b: int) -> None:
        """The next call."""
        kind = self._kinds[definition]
        if kind == Kind.STEP:
            if definition in self._boundaries:
                self._begin = self._latest
                self._steps_ns.append(0)
                self.boundaries += 1
            return
        clock = self._clocks.get(stream, 0)
        if kind == Kind.EVENT_RECORD:
            self._events[a, b] = clock
            return
        if kind == Kind.EVENT_WAIT:
            self._clocks[stream] = max(clock, self._events.get((a, b), 0))
            return
        end = self._clocks[stream] = self._end_ns(kind, definition, stream, clock, b)
        self._latest = max(self._latest, end)
        if self._begin is not None and kind in _COMPUTE:
            self._steps_ns[-1] = max(self._steps_ns[-1], end - self._begin)

    def _end_ns(self, kind: int, definition: int, stream: int, clock: int, group: int) -> int:
        cost = self._costs.get(definition, 0)
        if kind != Kind.COLLECTIVE or not group:
            return clock + cost
        number, begin = self._group.get(stream, (0, 0))
        if number != group:  # members of a group run side by side
            begin = clock
            self._group[stream] = group, begin
        return max(clock, begin + cost)


def _rows(capture: Capture) -> Iterator[_Row]:
    wanted = [d.id for d in capture.definitions() if d.kind in _WALKED]
    events = capture.events
    counted = np.isin(events["def"], wanted) & ~saving_mask(capture)
    events = events[counted]
    columns = (events[name].tolist() for name in ("def", "stream", "a", "b"))
    return zip(*columns, strict=True)
