"""The chain of work, waits and calls that leads to a moment of a simulation: the critical path.

Every time that the engine gives is a sum on top of the latest of a few earlier times. Walking back
from the end, the one that is equal is what the moment waited for.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from maya.simulator.path_index import PathIndex
from maya.simulator.program import CallFlag, Op, Program, Settings, Timeline


class Part(StrEnum):
    """What a stretch of the path is."""

    HOST = "host"
    LAUNCH = "launch"  # from the call to the start on an idle stream
    GAP = "gap"  # between two pieces of work of a stream
    WORK = "work"
    TRANSFER = "transfer"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of time, and the call it belongs to."""

    part: Part
    call: int
    begin_ns: int
    end_ns: int


class _At(StrEnum):
    START, END, ISSUE, RETURN = "start", "end", "issue", "return"


class _Node(NamedTuple):
    at: _At
    call: int


class _Step(NamedTuple):
    segment: Segment | None
    next: _Node | None


def critical_path(
    program: Program, timeline: Timeline, settings: Settings, low_ns: int, high_ns: int
) -> list[Segment]:
    """Segments that follow each other without a hole from low to high, the latest first."""
    walker = _Walker(program, timeline, settings)
    node: _Node | None = walker.last_to_end(high_ns)
    time_ns, path = high_ns, []
    # Pieces that take no time could be explained in a circle; no real path has more nodes.
    for _ in range(4 * len(program.calls)):
        if node is None or time_ns <= low_ns:
            break
        segment, node = walker.back(node)
        if segment is None or segment.end_ns <= segment.begin_ns:
            continue
        path.append(
            Segment(segment.part, segment.call, max(low_ns, segment.begin_ns), segment.end_ns)
        )
        time_ns = segment.begin_ns
    if time_ns > low_ns:
        path.append(Segment(Part.UNKNOWN, path[-1].call if path else 0, low_ns, time_ns))
    return path


class _Walker:
    def __init__(self, program: Program, timeline: Timeline, settings: Settings) -> None:
        self.program, self.timeline, self.settings = program, timeline, settings
        self.index = PathIndex(program, timeline)
        self._rules: dict[_At, Callable[[int], _Step]] = {
            _At.START: self._start,
            _At.END: self._end,
            _At.ISSUE: self._issue,
            _At.RETURN: self._return,
        }

    def last_to_end(self, at_ns: int) -> _Node | None:
        """What ended at this moment; work rather than an event."""
        found = self.index.ending_at(at_ns)
        if not found:
            return None
        return _Node(_At.END, next((call for call in found if self._is_work(call)), found[0]))

    def back(self, node: _Node) -> _Step:
        """The stretch before a moment, and the moment before that."""
        return self._rules[node.at](node.call)

    def _is_work(self, call: int) -> bool:
        return int(self.program.calls.op[call]) in (Op.WORK, Op.COLLECTIVE)

    def _end(self, call: int) -> _Step:
        end_ns = int(self.timeline.end_ns[call])
        match int(self.program.calls.op[call]):
            case Op.WORK:
                begin_ns = int(self.timeline.start_ns[call])
                return _Step(Segment(Part.WORK, call, begin_ns, end_ns), _Node(_At.START, call))
            case Op.COLLECTIVE:
                return self._transfer(call, end_ns)
            case Op.WAIT:
                record = self.index.record_of(int(self.program.calls.operand[call]))
                if record is not None and int(self.timeline.end_ns[record]) == end_ns:
                    return _Step(None, _Node(_At.END, record))
        return self._ready(call, end_ns)

    def _transfer(self, call: int, end_ns: int) -> _Step:
        """It began when the last of its participants arrived."""
        for number in self.index.transfers_of(call):
            if int(self.timeline.transfer_end_ns[number]) == end_ns:
                begin_ns = int(self.timeline.transfer_start_ns[number])
                last = self.index.last_to_arrive(number, begin_ns)
                segment = Segment(Part.TRANSFER, call, begin_ns, end_ns)
                return _Step(segment, _Node(_At.START, call if last is None else last))
        # A message that had waited in the receiver's buffers.
        begin_ns = int(self.timeline.start_ns[call])
        return _Step(Segment(Part.TRANSFER, call, begin_ns, end_ns), _Node(_At.START, call))

    def _start(self, call: int) -> _Step:
        start_ns = int(self.timeline.start_ns[call])
        before = self.index.work_before(call)
        gap_ns = self.settings.gap_ns
        if gap_ns and before is not None:
            end_ns = int(self.timeline.end_ns[before])
            if end_ns + gap_ns == start_ns:
                return _Step(Segment(Part.GAP, call, end_ns, start_ns), _Node(_At.END, before))
        return self._ready(call, start_ns)

    def _ready(self, call: int, at_ns: int) -> _Step:
        """An item of a stream waits for the one before, its launch, or the legacy stream."""
        before = self.index.before_on_stream(call)
        if before is not None and int(self.timeline.end_ns[before]) == at_ns:
            return _Step(None, _Node(_At.END, before))
        issue_ns = int(self.timeline.issue_ns[call])
        if issue_ns + self.settings.launch_latency_ns == at_ns:
            return _Step(Segment(Part.LAUNCH, call, issue_ns, at_ns), _Node(_At.ISSUE, call))
        other = self.index.ended_on_device(call, at_ns)
        return self._unknown(call, at_ns) if other is None else _Step(None, _Node(_At.END, other))

    def _issue(self, call: int) -> _Step:
        issue_ns = int(self.timeline.issue_ns[call])
        ready_ns = issue_ns - int(self.program.calls.host_ns[call])
        segment = Segment(Part.HOST, call, ready_ns, issue_ns)
        for before in self.index.may_have_woken(call):
            if int(self.timeline.return_ns[before]) == ready_ns:
                return _Step(segment, _Node(_At.RETURN, before))
        first = self.index.first_call(call)
        if call > first and int(self.timeline.issue_ns[call - 1]) == issue_ns:
            return _Step(None, _Node(_At.ISSUE, call - 1))
        if not int(self.program.calls.flags[call]) & CallFlag.UNQUEUED:
            room = self.index.made_room(call, self.settings.queue_limit)
            if room is not None and int(self.timeline.start_ns[room]) == issue_ns:
                return _Step(None, _Node(_At.START, room))
        return _Step(segment, None) if ready_ns <= 0 else self._unknown(call, issue_ns)

    def _return(self, call: int) -> _Step:
        return_ns = int(self.timeline.return_ns[call])
        if return_ns == int(self.timeline.issue_ns[call]):
            return _Step(None, _Node(_At.ISSUE, call))
        for waited in self.index.waited_for(call):
            if int(self.timeline.end_ns[waited]) == return_ns:
                return _Step(None, _Node(_At.END, waited))
        return self._unknown(call, return_ns)

    def _unknown(self, call: int, at_ns: int) -> _Step:
        """Nothing explains the moment: go on with the last call that returned before it."""
        earlier = self.index.last_return_before(call, at_ns)
        if earlier is None:
            return _Step(Segment(Part.UNKNOWN, call, 0, at_ns), None)
        begin_ns = int(self.timeline.return_ns[earlier])
        return _Step(Segment(Part.UNKNOWN, call, begin_ns, at_ns), _Node(_At.RETURN, earlier))
