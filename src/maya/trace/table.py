"""A capture as a table: one row per call."""

from typing import TYPE_CHECKING, Any

import numpy as np

from maya.trace.capture import Capture, Definition
from maya.trace.format import Kind, kind_name
from maya.trace.names import demangle

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

_DIMENSIONS = ("grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z", "shared_bytes")


def to_arrow(capture: Capture) -> "pa.Table":
    """The calls of a capture with what their definitions say."""
    import pyarrow as pa

    events = capture.events
    used, which = np.unique(events["def"], return_inverse=True)
    rows = [_describe(capture.definition(number)) for number in used.tolist()]
    columns: dict[str, Any] = {
        name: pa.array(events[name]) for name in events.dtype.names or () if name != "def"
    }
    columns["def"] = pa.array(events["def"])
    for name in ("kind", "op", "kernel", *_DIMENSIONS, "bytes"):
        values = pa.array([row.get(name) for row in rows], _type(name))
        columns[name] = (
            values.dictionary_encode().take(which) if _text(name) else values.take(which)
        )
    return pa.table(columns)


def to_polars(capture: Capture) -> "pl.DataFrame":
    """The same table for polars."""
    import polars as pl

    frame = pl.from_arrow(to_arrow(capture))
    assert isinstance(frame, pl.DataFrame)
    return frame


def _describe(definition: Definition) -> dict[str, int | str | None]:
    row: dict[str, int | str | None] = {"kind": kind_name(definition.kind), "op": definition.op}
    if definition.kind == Kind.KERNEL:
        row["kernel"] = demangle(definition.text("kernel"))
        row |= {name: definition.number(name) for name in _DIMENSIONS}
    if "bytes" in definition.fields:
        row["bytes"] = definition.number("bytes")
    return row


def _text(name: str) -> bool:
    return name in ("kind", "op", "kernel")


def _type(name: str) -> Any:
    import pyarrow as pa

    return pa.string() if _text(name) else pa.int64()
