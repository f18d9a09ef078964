"""Places in a program: which calls of a recording are passes through the same piece of its code."""

import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from maya.simulator.rows import I64, Rows
from maya.trace import Capture, Definition

Places = npt.NDArray[np.uint64]

# Calls of the same thread that tell one place in the program from another: the layers of a model
# are the same place, the same two calls elsewhere in it are not.
_CALLS_BEFORE, _CALLS_AFTER = 6, 2
_MIX = np.uint64(0x9E3779B97F4A7C15)


def call_kinds(captures: Sequence[Capture]) -> list[I64]:
    """By definition: a number for what is called, the same on all ranks and in all recordings.

    What it is called with does not count. Learning rates and lengths of sequences change from step
    to step, and the host takes as long.
    """
    kinds = []
    for capture in captures:
        own = np.zeros(max(capture.definition_ids, default=0) + 1, np.int64)
        for about in capture.definitions():
            own[about.id] = _number(about)
        kinds.append(own)
    return kinds


def _number(about: Definition) -> int:
    name = about.kind, about.op, about.text("kernel"), about.text("what")
    digest = hashlib.blake2b(repr(name).encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def places_of(rows: Rows, kinds: I64) -> Places:
    """A hash of the calls around each call on its own thread."""
    order = np.argsort(rows.thread, kind="stable")
    thread = rows.thread[order]
    word = kinds[rows.definition[order]].astype(np.uint64) * _MIX
    place = word.copy()
    for shift in (*range(1, _CALLS_BEFORE + 1), *range(-_CALLS_AFTER, 0)):
        inside = np.roll(thread, shift) == thread
        edge = slice(None, shift) if shift > 0 else slice(shift, None)
        inside[edge] = False
        neighbour = np.where(inside, np.roll(word, shift), 0)
        place = (place ^ (place >> np.uint64(29))) * _MIX + neighbour
    made = np.empty(len(rows), np.uint64)
    made[order] = place
    return made
