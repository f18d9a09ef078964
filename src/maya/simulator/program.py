"""What the engine runs: the calls of every rank as columns. docs/simulation.md explains them."""

from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import Any

import numpy as np
import numpy.typing as npt

Column = npt.NDArray[np.int64]
Array = npt.NDArray[Any]  # of the type that native/engine/abi.h says
WHOLE_SHARE = 1024


class Op(IntEnum):
    """What a call does."""

    HOST = 0
    WORK = 1
    RECORD = 2
    WAIT = 3
    COLLECTIVE = 4
    SYNC_STREAM = 5
    SYNC_DEVICE = 6
    SYNC_EVENT = 7


class CallFlag(IntFlag):
    """How a call behaves."""

    BLOCKING = 1  # the host waits for the work
    UNQUEUED = 2  # takes no place in the launch queue


class StreamFlag(IntFlag):
    """How a stream behaves."""

    LEGACY = 1
    BLOCKS = 2
    HIGH_PRIORITY = 4


@dataclass(frozen=True, slots=True)
class Calls:
    """Columns of the same length, one entry a call."""

    op: Array
    flags: Array
    thread: Array
    share: Array
    stream: Array
    operand: Array
    count: Array
    after: Array
    host_ns: Column
    duration_ns: Column

    def __len__(self) -> int:
        return len(self.op)


@dataclass(frozen=True, slots=True)
class Streams:
    """Where streams belong."""

    rank: Array
    device: Array
    flags: Array


@dataclass(frozen=True, slots=True)
class Transfers:
    """Collectives and send/recv pairs, and the links they use."""

    members: Array
    buffered: Array  # per member: 1 where the call sends what fits the receiver's buffers
    ranks: Array
    duration_ns: Column
    resources_begin: Column
    resource: Array
    resource_share: Array
    resource_count: int


@dataclass(frozen=True, slots=True)
class Shared:
    """Ranks that share the calls of others; a rank's own numbers are so much higher."""

    begin: Column  # per rank, indices of calls
    end: Column
    stream: Array
    device: Array
    slot: Array
    channel: Array  # per rank and channel: its first transfer
    member_channel: Array  # `members` of the transfers count within a channel
    piece: Array  # per call: the part of the program that it belongs to


@dataclass(frozen=True, slots=True)
class Program:
    """The whole job. With `shared`, `rank_begin` only says how many ranks there are."""

    rank_begin: Column
    calls: Calls
    streams: Streams
    transfers: Transfers
    device_count: int
    slot_count: int
    shared: Shared | None = None

    @property
    def ranks(self) -> int:
        """How many ranks there are."""
        return len(self.rank_begin) - 1


@dataclass(frozen=True, slots=True)
class Settings:
    """Constants and switches of the simulation."""

    launch_latency_ns: int = 0
    gap_ns: int = 0
    queue_limit: int = 1024
    share_links: bool = False
    share_devices: bool = False
    comm_share: int = 0  # of the device, in 1/1024


@dataclass(frozen=True, slots=True)
class Timeline:
    """When everything happened; -1 where it did not."""

    start_ns: Column
    end_ns: Column
    return_ns: Column
    issue_ns: Column
    transfer_start_ns: Column
    transfer_end_ns: Column
