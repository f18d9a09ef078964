"""A capture file, read lazily through a memory map."""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from maya.families import Family, family_of, find_family
from maya.trace import format as fmt
from maya.trace.blocks import (
    CaptureError,
    Events,
    Header,
    Index,
    Unpacker,
    index_blocks,
    read_header,
)
from maya.trace.bounds import check_number, check_times

__all__ = ["Capture", "CaptureError", "Definition", "Schema", "read_capture"]


@dataclass(frozen=True, slots=True)
class Schema:
    """The shape of one operation's definitions."""

    op: str
    kind: int
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Definition:
    """Everything about a call that repeats from step to step."""

    id: int
    op: str
    kind: int
    fields: Mapping[str, int | str]
    extra: tuple[int, ...] = ()  # values behind the named ones: a graph node's dependencies
    blob: bytes = field(default=b"", repr=False)

    def number(self, name: str, default: int = 0) -> int:
        """An integer field, or the default where the operation has none of that name."""
        value = self.fields.get(name, default)
        return value if isinstance(value, int) else default

    def text(self, name: str, default: str = "") -> str:
        """A string field, or the default."""
        value = self.fields.get(name, default)
        return value if isinstance(value, str) else default

    @property
    def family(self) -> Family:
        """The family that the recorder found; captures before version 3 have only the name."""
        told = self.fields.get("family")
        known = find_family(told) if isinstance(told, str) else None
        return family_of(self.text("kernel")) if known is None else known


def read_capture(path: Path | str) -> Capture:
    """Open a capture and check it; CaptureError says what is wrong with it and where."""
    path = Path(path)
    try:
        data = map_file(path)
    except OSError as error:
        raise CaptureError(
            f"cannot read {path}: {error.strerror}", hint="check the path"
        ) from error
    try:
        header = read_header(data)
        capture = Capture(path, header, data, index_blocks(data, header.header_bytes))
        capture.check()
    except CaptureError as error:
        raise CaptureError(f"{path.name}: {error.message}", hint=error.hint) from error
    return capture


def map_file(path: Path) -> memoryview:
    """The bytes of a file, without reading them."""
    with path.open("rb") as file:
        if not os.fstat(file.fileno()).st_size:
            return memoryview(b"")
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


class Capture:
    """What one process asked of the device."""

    def __init__(self, path: Path, header: Header, data: memoryview, index: Index) -> None:
        self.path = path
        self.header = header
        self._view = data
        self._index = index
        self._unpacker = Unpacker()
        self._strings: dict[int, str] = {0: ""}
        self._schemas: dict[int, Schema] = {}
        self._definitions: dict[int, Definition] = {}
        self.origin: Origin | None = None  # of a capture that nobody wrote

    @property
    def complete(self) -> bool:
        """Whether the capture was closed; if not, its process crashed or still runs."""
        return self._index.end_reason is not None

    @property
    def end_reason(self) -> int | None:
        """A format.EndReason, or None."""
        return self._index.end_reason

    @property
    def used_bytes(self) -> int:
        """Size without the unused space at the end."""
        return self._index.used_bytes

    @cached_property
    def events(self) -> Events:
        """Every call, in order of time."""
        blocks = self._index.events
        events = np.concatenate(blocks) if blocks else np.empty(0, fmt.EVENT)
        if not self.complete:  # a cut may have taken definitions that stood behind their events
            known = np.fromiter(self._index.definitions, np.uint32)
            events = events[np.isin(events["def"], known)]
        if np.any(events["start_ns"][1:] < events["start_ns"][:-1]):
            events = events[np.argsort(events["start_ns"], kind="stable")]
        return events

    def moved(
        self,
        rank: int,
        events: Events,
        source: npt.NDArray[np.int64],
        definitions: Mapping[int, Definition],
    ) -> Capture:
        """The same file, as if another rank had written it with these events.

        `source`: for each of them which event of this capture it was.
        """
        made = Capture(self.path, replace(self.header, rank=rank), self._view, self._index)
        made.events = events
        made.origin = Origin(self, source)
        made._definitions.update(definitions)
        return made

    @property
    def definition_ids(self) -> list[int]:
        """Ids of all definitions, in the order of the file."""
        return list(self._index.definitions)

    def definitions(self) -> Iterator[Definition]:
        """All definitions, in the order of the file."""
        return map(self.definition, self._index.definitions)

    def definition(self, number: int) -> Definition:
        """One definition by id."""
        if number not in self._definitions:
            self._definitions[number] = self._parse_definition(number)
        return self._definitions[number]

    def string(self, number: int) -> str:
        """One string by id; 0 is the empty string."""
        if number not in self._strings:
            offset, length = self._find(self._index.strings, number, "string")
            if number in self._index.packed_strings:
                _, size = fmt.PACKED.unpack_from(self._view, offset)
                packed = self._view[offset + fmt.PACKED.size : offset + length]
                raw = self._unpacker.unpack(packed, size, "packed string", offset)
            else:
                raw = bytes(self._view[offset + fmt.WORD.size : offset + length])
            self._strings[number] = raw.decode("utf-8", "replace")
        return self._strings[number]

    def schema(self, number: int) -> Schema:
        """One schema by id."""
        if number not in self._schemas:
            self._schemas[number] = self._parse_schema(number)
        return self._schemas[number]

    def check(self) -> None:
        """Parse every definition and see that every event has one."""
        if not self.complete:
            self._drop_unresolved()
        check_times(self.events)
        used = np.unique(self.events["def"]) if self._index.events else np.empty(0, np.uint32)
        for number in (*self.definition_ids, *used.tolist()):
            self.definition(number)

    def _drop_unresolved(self) -> None:
        """In a capture that was cut, a definition may miss strings that stood behind it."""
        for number in self.definition_ids:
            try:
                self.definition(number)
            except MissingIdError:
                del self._index.definitions[number]

    def _parse_definition(self, number: int) -> Definition:
        offset, length = self._find(self._index.definitions, number, "definition")
        _, schema_id, value_count, blob_bytes = fmt.DEFINITION.unpack_from(self._view, offset)
        values_at = offset + fmt.DEFINITION.size
        blob_at = values_at + 8 * value_count
        schema = self.schema(schema_id)
        packed = number in self._index.packed_definitions
        fits = blob_at + (0 if packed else blob_bytes) <= offset + length
        if not fits or value_count < len(schema.fields):
            raise CaptureError(f"definition {number} does not fit its block", offset=offset)
        values = struct.unpack_from(f"<{value_count}q", self._view, values_at)
        named = zip(schema.fields, values, strict=False)
        blob = self._view[blob_at : offset + length]
        return Definition(
            id=number,
            op=schema.op,
            kind=schema.kind,
            fields=dict(self._field(name, value) for name, value in named),
            extra=values[len(schema.fields) :],
            blob=self._unpacker.unpack(blob, blob_bytes, "packed arguments", offset)
            if packed
            else bytes(blob[:blob_bytes]),
        )

    def _field(self, name: str, value: int) -> tuple[str, int | str]:
        if name.endswith(fmt.STRING_SUFFIX):
            return name.removesuffix(fmt.STRING_SUFFIX), self.string(value)
        check_number(name, value)
        return name, value

    def _parse_schema(self, number: int) -> Schema:
        offset, length = self._find(self._index.schemas, number, "schema")
        _, kind, name, count = fmt.SCHEMA.unpack_from(self._view, offset)
        fields_at = offset + fmt.SCHEMA.size
        if fmt.SCHEMA.size + 4 * count > length:
            raise CaptureError(f"schema {number} does not fit its block", offset=offset)
        fields = struct.unpack_from(f"<{count}I", self._view, fields_at)
        return Schema(self.string(name), kind, tuple(map(self.string, fields)))

    def _find(self, table: dict[int, tuple[int, int]], number: int, what: str) -> tuple[int, int]:
        if number not in table:
            raise MissingIdError(f"{what} {number} is used but not defined")
        return table[number]


@dataclass(frozen=True, slots=True)
class Origin:
    """What a capture was made from, and for each event which of its events it was."""

    capture: Capture
    source: npt.NDArray[np.int64]


class MissingIdError(CaptureError):
    """An id that nothing in the file defines."""
