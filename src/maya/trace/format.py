"""The capture's binary layout; docs/capture.md explains it."""

from enum import IntEnum
from struct import Struct

import numpy as np

MAGIC = b"MAYACAP\0"
VERSION = 3
HEADER = Struct("<8sIIQIiII")  # magic, version, bytes, start, pid, rank, world size, devices
STEPS_SEEN_AT = HEADER.size  # a word that is 1 once a step has ended
HEADER_BYTES = 64
BLOCK = Struct("<II")  # type, payload bytes
WORD = Struct("<I")
PACKED = Struct("<II")  # id, bytes of the text
MOST_UNPACKED_BYTES = 1 << 26  # of one string or blob: far beyond any PTX
MOST_UNPACKED_TOTAL = 1 << 28  # of a whole capture
MOST_RANKS, MOST_DEVICES = 1 << 20, 1 << 10
SCHEMA = Struct("<IIII")  # id, kind, name, field count
DEFINITION = Struct("<IIII")  # id, schema, value count, blob bytes
EVENTS_PER_BLOCK = 1024
ALIGNMENT = 8

EVENT = np.dtype(
    [
        ("def", "<u4"),
        ("thread", "<u2"),
        ("stream", "<u2"),
        ("start_ns", "<u8"),
        ("cpu_ns", "<u4"),
        ("call_ns", "<u4"),
        ("a", "<u8"),
        ("b", "<u8"),
    ]
)

STRING_SUFFIX = ":s"
REACH = "reach_bytes"  # of a kernel: depends on where the allocator put things, not on the work
# What an allocation may be that takes device memory; "library" has no address, only bytes.
DEVICE_MEMORY = ("device", "async", "vmm", "managed", "library")


class Block(IntEnum):
    """Types of block."""

    UNUSED = 0
    STRING = 1
    SCHEMA = 2
    DEFINITION = 3
    EVENTS = 4
    END = 5
    PACKED_STRING = 6
    PACKED_DEFINITION = 7


class Kind(IntEnum):
    """What a definition stands for."""

    KERNEL = 1
    LIBRARY = 2
    COPY = 3
    MEMSET = 4
    ALLOC = 5
    FREE = 6
    EVENT_RECORD = 7
    EVENT_WAIT = 8
    STREAM = 9
    SYNC = 10
    HOST_CALL = 11
    COLLECTIVE = 12
    GROUP = 13
    GRAPH = 14
    RANGE = 15
    FUNCTION = 16
    UNSUPPORTED = 17
    VALUE_READ = 18
    GRAPH_NODE = 19
    STEP = 20
    COMM = 21
    INFO = 22
    THREAD = 23
    VALUE_POLICY = 24
    FEED = 25


class EndReason(IntEnum):
    """Why a capture was closed."""

    EXIT = 1
    STEPS = 2
    MAX_SECONDS = 3
    DISK_FULL = 4
    CPU_ONLY = 5


# Where executables are launched: pieces of a run, as updates of the weights end them, but perhaps
# less than steps.
LAUNCHES = "executable_boundary"
BOUNDARIES = ("step_boundary", LAUNCHES)

COPY_DIRECTIONS = {0: "H2H", 1: "H2D", 2: "D2H", 3: "D2D", 4: "peer"}


def kind_name(kind: int) -> str:
    """The name of a kind; newer emulators may write kinds that we do not know."""
    try:
        return Kind(kind).name.lower()
    except ValueError:
        return f"kind{kind}"
