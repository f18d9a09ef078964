"""Programs written by hand, call by call: for tests, replays of other traces, and examples."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from maya.simulator.program import (
    WHOLE_SHARE,
    Array,
    CallFlag,
    Calls,
    Op,
    Program,
    StreamFlag,
    Streams,
    Transfers,
)


@dataclass(slots=True)
class _Call:
    op: Op
    stream: int = -1
    host_ns: int = 0
    duration_ns: int = 0
    operand: int = 0
    count: int = 0
    flags: int = 0
    thread: int = 0
    after: int | None = None  # None: the call before
    share: int = WHOLE_SHARE


@dataclass(slots=True)
class _Transfer:
    ranks: int
    duration_ns: int
    links: Sequence[tuple[int, int]]


@dataclass(slots=True)
class Builder:
    """Collects calls and makes a program of them."""

    ranks: int = 1
    _calls: list[list[_Call]] = field(init=False)
    _streams: list[tuple[int, int, int]] = field(init=False, default_factory=list)
    _slots: int = field(init=False, default=0)
    _transfers: list[_Transfer] = field(init=False, default_factory=list)
    _members: list[int] = field(init=False, default_factory=list)
    _buffered: set[int] = field(init=False, default_factory=set)

    def __post_init__(self) -> None:
        self._calls = [[] for _ in range(self.ranks)]

    def stream(self, rank: int = 0, *, device: int | None = None, flags: int = 0) -> int:
        """A new stream; each rank has the device of its number unless told."""
        self._streams.append((rank, rank if device is None else device, int(flags)))
        return len(self._streams) - 1

    def legacy(self, rank: int = 0) -> int:
        """The legacy default stream."""
        return self.stream(rank, flags=StreamFlag.LEGACY)

    def blocking(self, rank: int = 0) -> int:
        """A stream that synchronises with the legacy one."""
        return self.stream(rank, flags=StreamFlag.BLOCKS)

    def event(self) -> int:
        """A version of an event."""
        self._slots += 1
        return self._slots - 1

    def transfer(self, duration_ns: int, ranks: int, links: Sequence[tuple[int, int]] = ()) -> int:
        """A collective of so many calls; links are (number, share in 1/1024)."""
        self._transfers.append(_Transfer(ranks, duration_ns, links))
        return len(self._transfers) - 1

    def host(
        self, host_ns: int, *, rank: int = 0, thread: int = 0, after: int | None = None
    ) -> int:
        """CPU work only."""
        return self._add(rank, _Call(Op.HOST, host_ns=host_ns, thread=thread, after=after))

    def work(
        self,
        stream: int,
        duration_ns: int,
        host_ns: int = 0,
        *,
        thread: int = 0,
        after: int | None = None,
        blocking: bool = False,
        unqueued: bool = False,
        share: int = WHOLE_SHARE,
    ) -> int:
        """A kernel or a copy."""
        flags = CallFlag.BLOCKING * blocking | CallFlag.UNQUEUED * unqueued
        call = _Call(Op.WORK, stream, host_ns, duration_ns, 0, 0, flags, thread, after, share)
        return self._add(self._rank(stream), call)

    def record(self, stream: int, event: int, host_ns: int = 0) -> int:
        """Record an event."""
        return self._add(self._rank(stream), _Call(Op.RECORD, stream, host_ns, operand=event))

    def wait(self, stream: int, event: int, host_ns: int = 0) -> int:
        """Make a stream wait for an event."""
        return self._add(self._rank(stream), _Call(Op.WAIT, stream, host_ns, operand=event))

    def collective(self, stream: int, *transfers: int, host_ns: int = 0) -> int:
        """Take part in one collective, or in several of a group."""
        first = len(self._members)
        self._members += transfers
        call = _Call(Op.COLLECTIVE, stream, host_ns, operand=first, count=len(transfers))
        return self._add(self._rank(stream), call)

    def send_small(self, stream: int, transfer: int, host_ns: int = 0) -> int:
        """Send a message that fits the receiver's buffers; it receives by `collective`."""
        self._buffered.add(len(self._members))
        return self.collective(stream, transfer, host_ns=host_ns)

    def sync_stream(self, stream: int, host_ns: int = 0, *, thread: int = 0) -> int:
        """Block the host until a stream is done."""
        return self._add(self._rank(stream), _Call(Op.SYNC_STREAM, stream, host_ns, thread=thread))

    def sync_device(self, rank: int = 0, host_ns: int = 0) -> int:
        """Block the host until the device is done."""
        return self._add(rank, _Call(Op.SYNC_DEVICE, rank, host_ns))

    def sync_event(self, event: int, host_ns: int = 0, *, rank: int = 0) -> int:
        """Block the host until an event is recorded."""
        return self._add(rank, _Call(Op.SYNC_EVENT, -1, host_ns, operand=event))

    def program(self) -> Program:
        """The finished program; calls are numbered rank after rank."""
        begin = np.cumsum([0, *map(len, self._calls)]).astype(np.int64)
        calls = [call for rank in self._calls for call in rank]
        after = [
            -1 if index == 0 else begin[rank] + (index - 1 if call.after is None else call.after)
            for rank, own in enumerate(self._calls)
            for index, call in enumerate(own)
        ]
        devices = max((device for _, device, _ in self._streams), default=0)
        return Program(
            rank_begin=begin,
            calls=_columns(calls, [max(-1, int(number)) for number in after]),
            streams=Streams(
                np.array([s[0] for s in self._streams], np.int32),
                np.array([s[1] for s in self._streams], np.int32),
                np.array([s[2] for s in self._streams], np.uint8),
            ),
            transfers=_transfers(self._transfers, self._members, self._buffered),
            device_count=max(devices, self.ranks - 1) + 1,
            slot_count=self._slots,
        )

    def _rank(self, stream: int) -> int:
        return self._streams[stream][0]

    def _add(self, rank: int, call: _Call) -> int:
        self._calls[rank].append(call)
        return len(self._calls[rank]) - 1


def _columns(calls: list[_Call], after: list[int]) -> Calls:
    def column(name: str, kind: type[np.generic]) -> Array:
        return np.array([getattr(call, name) for call in calls], kind)

    return Calls(
        op=column("op", np.uint8),
        flags=column("flags", np.uint8),
        thread=column("thread", np.uint16),
        share=column("share", np.uint16),
        stream=column("stream", np.int32),
        operand=column("operand", np.int32),
        count=column("count", np.int32),
        after=np.array(after, np.int32),
        host_ns=column("host_ns", np.int64),
        duration_ns=column("duration_ns", np.int64),
    )


def _transfers(transfers: list[_Transfer], members: list[int], buffered: set[int]) -> Transfers:
    links = [link for transfer in transfers for link in transfer.links]
    return Transfers(
        members=np.array(members, np.int32),
        buffered=np.array([at in buffered for at in range(len(members))], np.uint8),
        ranks=np.array([t.ranks for t in transfers], np.int32),
        duration_ns=np.array([t.duration_ns for t in transfers], np.int64),
        resources_begin=np.cumsum([0, *(len(t.links) for t in transfers)]).astype(np.int64),
        resource=np.array([number for number, _ in links], np.int32),
        resource_share=np.array([share for _, share in links], np.int32),
        resource_count=max((number for number, _ in links), default=-1) + 1,
    )
