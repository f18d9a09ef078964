"""Passes during which nobody could take the core away (native/core/steps/held_core.cpp)."""

import numpy as np
import numpy.typing as npt

from maya.simulator.rows import Rows
from maya.trace import Capture

_OP = "core_held"
Mask = npt.NDArray[np.bool_]


def undisturbed(capture: Capture, rows: Rows) -> Mask:
    """By row."""
    edges = {d.id: d.text("what") for d in capture.definitions() if d.op == _OP}
    if not edges:
        return np.zeros(len(rows), bool)
    told = capture.events["def"]
    where = {what: np.flatnonzero(told == number) for number, what in edges.items()}
    begin = where.get("begin", np.array([len(told)]))
    end = where.get("end", np.array([len(told)]))
    if not len(begin):
        return np.zeros(len(rows), bool)
    last = end[0] if len(end) else len(told)
    held: Mask = (rows.event > begin[0]) & (rows.event < last)
    return held
