"""Where a program saved checkpoints: native/core/saving.cpp records it."""

import numpy as np
import numpy.typing as npt

from maya.trace.capture import Capture

_OP = "saving"


def saving_mask(capture: Capture) -> npt.NDArray[np.bool_]:
    """For each event whether its thread was saving, and what came before it was part of that."""
    change = _changes(capture)
    inside = np.zeros(len(change), bool)
    if not change.any():
        return inside
    order = np.argsort(capture.events["thread"], kind="stable")
    depth = np.cumsum(change[order])
    # Threads follow each other in this order: each begins outside.
    thread = capture.events["thread"][order]
    begin = np.searchsorted(thread, thread)
    before = depth - change[order]
    inside[order] = before - before[begin] > 0
    return inside


def save_durations_ns(capture: Capture) -> list[int]:
    """How long each save took here."""
    change, events = _changes(capture), capture.events
    begun: dict[int, int] = {}
    found: list[int] = []
    for index in np.flatnonzero(change).tolist():
        thread, now = int(events["thread"][index]), int(events["start_ns"][index])
        if change[index] > 0:
            begun[thread] = now
        elif thread in begun:
            found.append(now - begun.pop(thread))
    return found


def _changes(capture: Capture) -> npt.NDArray[np.int64]:
    """1 where a save begins, -1 where it ends."""
    own = {
        d.id: 1 if d.text("what") == "push" else -1 for d in capture.definitions() if d.op == _OP
    }
    change = np.zeros(len(capture.events), np.int64)
    for number, sign in own.items():
        change[capture.events["def"] == number] = sign
    return change
