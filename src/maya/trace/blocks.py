"""Walks the blocks of a capture. Nothing in the file is believed before it is checked."""

import zlib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from maya.errors import MayaError
from maya.trace import format as fmt
from maya.trace.format import Block

Events = npt.NDArray[np.void]


class CaptureError(MayaError):
    """A capture that cannot be read, with the place where reading failed."""

    def __init__(self, message: str, *, offset: int | None = None, hint: str | None = None) -> None:
        where = f" at byte {offset}" if offset is not None else ""
        super().__init__(f"{message}{where}", hint=hint or "record the run again")
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Header:
    """The first bytes of a capture."""

    version: int
    header_bytes: int
    start_unix_ns: int
    pid: int
    rank: int
    world_size: int
    device_count: int


@dataclass(slots=True)
class Index:
    """Where everything is in the file: ids to offsets of payloads."""

    strings: dict[int, tuple[int, int]] = field(default_factory=dict)
    packed_strings: set[int] = field(default_factory=set)
    schemas: dict[int, tuple[int, int]] = field(default_factory=dict)
    definitions: dict[int, tuple[int, int]] = field(default_factory=dict)
    packed_definitions: set[int] = field(default_factory=set)
    events: list[Events] = field(default_factory=list)
    end_reason: int | None = None
    used_bytes: int = 0


def has_steps(path: Path) -> bool:
    """Whether a step has ended; of a capture that may still be written."""
    with path.open("rb") as file:
        head = file.read(fmt.HEADER_BYTES)
    return len(head) == fmt.HEADER_BYTES and fmt.WORD.unpack_from(head, fmt.STEPS_SEEN_AT)[0] == 1


def read_header(data: memoryview) -> Header:
    """Check that this is a capture that we can read."""
    size = len(data)
    if size < fmt.HEADER_BYTES:
        raise CaptureError("not a capture: shorter than a header", offset=size)
    magic, *values = fmt.HEADER.unpack_from(data, 0)
    if magic != fmt.MAGIC:
        raise CaptureError("not a capture: it does not start with MAYACAP", offset=0)
    header = Header(*values)
    if header.version > fmt.VERSION:
        raise CaptureError(
            f"capture of version {header.version}; this maya reads up to {fmt.VERSION}",
            offset=8,
            hint="upgrade: pip install --upgrade maya-sim",
        )
    aligned = header.header_bytes % fmt.ALIGNMENT == 0
    if header.version < 1 or not aligned or not fmt.HEADER_BYTES <= header.header_bytes <= size:
        raise CaptureError("broken header", offset=8)
    placed = -1 <= header.rank < max(1, header.world_size) <= fmt.MOST_RANKS
    if not placed or header.device_count > fmt.MOST_DEVICES:
        raise CaptureError(f"rank {header.rank} of {header.world_size:,}", offset=24)
    return header


def index_blocks(
    view: memoryview, start: int, index: Index | None = None, last: int | None = None
) -> Index:
    """Find every block, up to the end or the cut of the file.

    `index` is what was found before `start`; `last` the definition behind which to stop, as a
    program that still runs may be writing what follows.
    """
    index, offset, size = index or Index(), start, len(view)
    while offset + fmt.BLOCK.size <= size and last not in index.definitions:
        kind, length = fmt.BLOCK.unpack_from(view, offset)
        payload = offset + fmt.BLOCK.size
        if kind == Block.UNUSED:
            break
        whole = payload + length <= size
        if kind == Block.EVENTS:
            _add_events(index, view, payload, length)
        elif whole:
            _add(index, view, kind, payload, length)
        if not whole:
            offset = size
            break
        if kind == Block.END:
            offset = payload + length
            break
        offset = payload + length + -length % fmt.ALIGNMENT
    index.used_bytes = min(offset, size)
    return index


def _add(index: Index, data: memoryview, kind: int, payload: int, length: int) -> None:
    if kind == Block.END:
        _require(length >= 4, "broken END block", payload)
        index.end_reason = fmt.WORD.unpack_from(data, payload)[0]
        return
    match kind:
        case Block.STRING:
            table, least = index.strings, fmt.WORD.size
        case Block.PACKED_STRING:
            table, least = index.strings, fmt.PACKED.size
        case Block.SCHEMA:
            table, least = index.schemas, fmt.SCHEMA.size
        case Block.DEFINITION | Block.PACKED_DEFINITION:
            table, least = index.definitions, fmt.DEFINITION.size
        case _:
            raise CaptureError(f"unknown block type {kind}", offset=payload - fmt.BLOCK.size)
    _require(length >= least, f"{Block(kind).name} block too short", payload)
    number = fmt.WORD.unpack_from(data, payload)[0]
    # Later layers make tables of ids: one beyond the file's size is no count of anything in it.
    _require(0 < number <= len(data), f"id {number} is 0 or far too large", payload)
    _require(number not in table, f"id {number} is used twice", payload)
    table[number] = (payload, length)
    if kind == Block.PACKED_STRING:
        index.packed_strings.add(number)
    elif kind == Block.PACKED_DEFINITION:
        index.packed_definitions.add(number)


def _add_events(index: Index, data: memoryview, payload: int, length: int) -> None:
    size = fmt.EVENT.itemsize
    valid = length % size == 0 and length <= fmt.EVENTS_PER_BLOCK * size
    _require(valid, f"EVENTS block of {length} bytes", payload)
    count = min(length, len(data) - payload) // size  # whole events before a cut
    events = np.frombuffer(data, fmt.EVENT, count, payload)
    unused = np.flatnonzero(events["def"] == 0)
    index.events.append(events[: unused[0]] if len(unused) else events)


class Unpacker:
    """Unpacks raw deflate streams, within a bound for all of them together."""

    def __init__(self) -> None:
        self._left = fmt.MOST_UNPACKED_TOTAL

    def unpack(self, packed: memoryview, size: int, what: str, offset: int) -> bytes:
        """What a stream holds: never more than its block says, whatever is in it."""
        _require(size <= fmt.MOST_UNPACKED_BYTES, f"{what} of {size} bytes", offset)
        self._left -= size
        _require(self._left >= 0, "packed data unpacks to more than a capture may hold", offset)
        return _inflated(packed, size, what, offset)


def _inflated(packed: memoryview, size: int, what: str, offset: int) -> bytes:
    reader = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
    try:
        found = reader.decompress(packed, size + 1)
    except zlib.error as error:
        raise CaptureError(f"broken {what} ({error})", offset=offset) from error
    _require(len(found) == size, f"{what} of {len(found)} bytes instead of {size}", offset)
    return found


def _require(condition: bool, message: str, offset: int) -> None:
    if not condition:
        raise CaptureError(message, offset=offset)
