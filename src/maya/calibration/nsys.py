"""SQLite exports of Nsight Systems: kernels; operators are not in them."""

import sqlite3
from pathlib import Path
from typing import Any

from maya.calibration.spans import Trace, TracedKernel, bad_trace, duration, three
from maya.calibration.sqlite_tables import Tables, open_tables

MAGIC = b"SQLite format 3\0"
_KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL"
_GPUS = "TARGET_INFO_GPU"
_GRID = ("gridX", "gridY", "gridZ")
_BLOCK = ("blockX", "blockY", "blockZ")
_NAMES = ("mangledName", "demangledName", "shortName")  # the best first


def read_nsys(path: Path) -> Trace:
    """MayaError where the file is no such export."""
    try:
        with open_tables(path) as tables:
            return _read(path, tables)
    except sqlite3.Error as error:
        raise bad_trace(path, f"cannot be read as an export of nsys: {error}") from error


def _read(path: Path, tables: Tables) -> Trace:
    columns = tables.columns(_KERNELS)
    names = [name for name in _NAMES if name in columns]
    if not columns.issuperset(("start", "end", *_GRID, *_BLOCK)) or not names:
        raise bad_trace(path, f"has no table {_KERNELS}: no kernel was traced")
    strings = dict(tables.rows("StringIds", ("id", "value")))
    launches = []
    for row in tables.rows(_KERNELS, ("start", "end", *_GRID, *_BLOCK, *names)):
        name = _name(strings, row[8:])
        grid, block = three(path, name, row[2:5]), three(path, name, row[5:8])
        length = row[1] - row[0] if _whole(row[0]) and _whole(row[1]) else None
        launches.append(TracedKernel(name, duration(path, name, length, 1.0), grid, block))
    return Trace(str(path), _gpu(tables), tuple(launches))


def _name(strings: dict[int, Any], numbers: tuple[Any, ...]) -> str:
    told = (strings.get(number) for number in numbers)
    return next((str(name) for name in told if name), "")


def _gpu(tables: Tables) -> str:
    if "name" not in tables.columns(_GPUS):
        return ""
    found = [str(name) for (name,) in tables.rows(_GPUS, ("name",))]
    return found[0] if len(set(found)) == 1 else ""


def _whole(value: Any) -> bool:
    return isinstance(value, int)
