"""Who comes before whom in a program, looked up from any call."""

from functools import cached_property

import numpy as np
import numpy.typing as npt

from maya.simulator.program import CallFlag, Op, Program, StreamFlag, Timeline

I64 = npt.NDArray[np.int64]
_ON_STREAM = (Op.WORK, Op.RECORD, Op.WAIT, Op.COLLECTIVE)
_WORK = (Op.WORK, Op.COLLECTIVE)


class _Chains:
    """Calls of one kind, in order, by stream or thread."""

    def __init__(self, which: I64, key: I64) -> None:
        order = np.argsort(key[which], kind="stable")
        self.calls = which[order]
        self.keys = key[self.calls]
        self.place = np.full(len(key), -1, np.int64)
        self.place[self.calls] = np.arange(len(self.calls))

    def before(self, call: int, distance: int = 1) -> int | None:
        """The call so many places earlier in the chain of this one."""
        place = int(self.place[call])
        earlier = place - distance
        if place < 0 or earlier < 0 or self.keys[earlier] != self.keys[place]:
            return None
        return int(self.calls[earlier])

    def last_up_to(self, key: int, call: int) -> int | None:
        """The last of a chain that is not behind a call."""
        first, end = np.searchsorted(self.keys, (key, key + 1))
        place = int(first + np.searchsorted(self.calls[first:end], call, side="right")) - 1
        return int(self.calls[place]) if place >= first else None


class PathIndex:
    """Lookups that walking back needs; each is made when first asked for."""

    def __init__(self, program: Program, timeline: Timeline) -> None:
        self.program, self.timeline = program, timeline
        calls = program.calls
        self._stream = np.where(np.isin(calls.op, _ON_STREAM), calls.stream, -1).astype(np.int64)
        self._items = _Chains(np.flatnonzero(self._stream >= 0), self._stream)

    @cached_property
    def _work(self) -> _Chains:
        return _Chains(np.flatnonzero(np.isin(self.program.calls.op, _WORK)), self._stream)

    @cached_property
    def _queued(self) -> _Chains:
        calls = self.program.calls
        takes_place = np.isin(calls.op, _WORK) & ((calls.flags & CallFlag.UNQUEUED) == 0)
        return _Chains(np.flatnonzero(takes_place), self._stream)

    @cached_property
    def _rank(self) -> I64:
        counts = np.diff(self.program.rank_begin)
        return np.repeat(np.arange(len(counts)), counts)

    @cached_property
    def _threads(self) -> _Chains:
        key = self._rank * 65536 + self.program.calls.thread
        return _Chains(np.arange(len(key)), key)

    @cached_property
    def _latest_return(self) -> I64:
        """For each call, which of its rank's calls up to it returned last."""
        found = np.zeros(len(self._rank), np.int64)
        begin = self.program.rank_begin
        for first, end in zip(begin[:-1].tolist(), begin[1:].tolist(), strict=True):
            returned = self.timeline.return_ns[first:end]
            rising = returned == np.maximum.accumulate(returned)
            found[first:end] = first + np.maximum.accumulate(
                np.where(rising, np.arange(end - first), 0)
            )
        return found

    @cached_property
    def _records(self) -> dict[int, int]:
        calls = self.program.calls
        at = np.flatnonzero(calls.op == Op.RECORD)
        return dict(zip(calls.operand[at].tolist(), at.tolist(), strict=True))

    @cached_property
    def _participants(self) -> tuple[I64, I64]:
        """Collective calls by transfer, and where those of each transfer begin."""
        calls = self.program.calls
        at = np.flatnonzero(calls.op == Op.COLLECTIVE)
        count = calls.count[at].astype(np.int64)
        first = np.repeat(calls.operand[at] - np.cumsum(count) + count, count)
        numbers = self.program.transfers.members[first + np.arange(count.sum())]
        order = np.argsort(numbers, kind="stable")
        transfers = np.arange(len(self.program.transfers.ranks) + 1)
        return np.repeat(at, count)[order], np.searchsorted(numbers[order], transfers)

    def ending_at(self, at_ns: int) -> list[int]:
        """Items of streams that end at a moment."""
        found = np.flatnonzero((self.timeline.end_ns == at_ns) & (self._stream >= 0))
        return [int(call) for call in found]

    def before_on_stream(self, call: int) -> int | None:
        """The item before on the same stream."""
        return self._items.before(call)

    def work_before(self, call: int) -> int | None:
        """The work before on the same stream."""
        return self._work.before(call)

    def made_room(self, call: int, limit: int) -> int | None:
        """The work whose start lets this launch into the queue."""
        return self._queued.before(call, limit)

    def record_of(self, slot: int) -> int | None:
        """The call that records a version of an event."""
        return self._records.get(slot)

    def transfers_of(self, call: int) -> list[int]:
        """Members of a collective call."""
        first = int(self.program.calls.operand[call])
        members = self.program.transfers.members[
            first : first + int(self.program.calls.count[call])
        ]
        return [int(number) for number in members]

    def last_to_arrive(self, transfer: int, at_ns: int) -> int | None:
        """The participant that arrived at the moment a transfer began."""
        calls, begin = self._participants
        own = calls[begin[transfer] : begin[transfer + 1]]
        late = own[self.timeline.start_ns[own] == at_ns]
        return int(late[0]) if len(late) else None

    def first_call(self, call: int) -> int:
        """The first call of the same rank."""
        return int(self.program.rank_begin[self._rank[call]])

    def may_have_woken(self, call: int) -> list[int]:
        """Calls whose return let the thread of this one begin."""
        found = []
        if (before := self._threads.before(call)) is not None:
            found.append(before)
        if (after := int(self.program.calls.after[call])) >= 0:
            found.append(int(self._latest_return[after]))
        return found

    def waited_for(self, call: int) -> list[int]:
        """The last items that a synchronising call may wait for."""
        calls = self.program.calls
        match int(calls.op[call]):
            case Op.SYNC_EVENT:
                record = self.record_of(int(calls.operand[call]))
                return [] if record is None else [record]
            case Op.SYNC_DEVICE:
                streams = np.flatnonzero(self.program.streams.device == calls.stream[call]).tolist()
            case _:
                streams = [int(calls.stream[call])]
        last = (self._items.last_up_to(stream, call) for stream in streams)
        return [item for item in last if item is not None]

    def ended_on_device(self, call: int, at_ns: int) -> int | None:
        """What the legacy default stream, or a blocking stream on it, waited for."""
        device = self.program.streams.device[self._stream[call]]
        same = self.program.streams.device == device
        takes_part = same & ((self.program.streams.flags & _JOINED) != 0)
        for stream in np.flatnonzero(takes_part).tolist():
            last = self._items.last_up_to(stream, call - 1)
            while last is not None and int(self.timeline.end_ns[last]) > at_ns:
                last = self._items.before(last)
            if last is not None and int(self.timeline.end_ns[last]) == at_ns:
                return last
        return None

    def last_return_before(self, call: int, at_ns: int) -> int | None:
        """The call of the same rank that returned last before a moment."""
        first, end = self.program.rank_begin[self._rank[call] : self._rank[call] + 2].tolist()
        returned = self.timeline.return_ns[first:end]
        earlier = np.flatnonzero((returned < at_ns) & (returned >= 0))
        return int(first + earlier[np.argmax(returned[earlier])]) if len(earlier) else None


_JOINED = StreamFlag.LEGACY | StreamFlag.BLOCKS
