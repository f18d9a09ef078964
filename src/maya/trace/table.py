"""A capture as a table: one row per call."""

from typing import TYPE_CHECKING

import numpy as np

from maya.frames import polars
from maya.trace.capture import Capture, Definition
from maya.trace.format import Kind, kind_name
from maya.trace.names import demangle

if TYPE_CHECKING:
    import polars as pl

_TEXTS = ("kind", "op", "kernel")
_DIMENSIONS = ("grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z", "shared_bytes")


def to_polars(capture: Capture) -> "pl.DataFrame":
    """The calls of a capture with what their definitions say."""
    found = polars("a table of calls")
    events = capture.events
    used, which = np.unique(events["def"], return_inverse=True)
    rows = [_describe(capture.definition(number)) for number in used.tolist()]
    names = [name for name in events.dtype.names or () if name != "def"]
    columns = [found.Series(name, np.ascontiguousarray(events[name])) for name in (*names, "def")]
    for name in (*_TEXTS, *_DIMENSIONS, "bytes"):
        kind = found.String if name in _TEXTS else found.Int64
        values = found.Series(name, [row.get(name) for row in rows], kind).gather(which)
        columns.append(values.cast(found.Categorical) if name in _TEXTS else values)
    table: pl.DataFrame = found.DataFrame(columns)
    return table


def _describe(definition: Definition) -> dict[str, int | str | None]:
    row: dict[str, int | str | None] = {"kind": kind_name(definition.kind), "op": definition.op}
    if definition.kind == Kind.KERNEL:
        row["kernel"] = demangle(definition.text("kernel"))
        row |= {name: definition.number(name) for name in _DIMENSIONS}
    if "bytes" in definition.fields:
        row["bytes"] = definition.number("bytes")
    return row
