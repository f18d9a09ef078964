"""Whether two runs asked the same of the device."""

import hashlib
from collections.abc import Sequence

import numpy as np

from maya.hardware import Gpu
from maya.simulator.work import Durations
from maya.trace import Capture
from maya.trace.blocks import Events
from maya.trace.capture import Definition
from maya.trace.format import REACH, Kind

# Work, its order, and what bounds memory. Times differ from run to run and are left out.
_WORK = frozenset(
    (
        Kind.KERNEL,
        Kind.LIBRARY,
        Kind.COPY,
        Kind.MEMSET,
        Kind.EVENT_WAIT,
        Kind.HOST_CALL,
        Kind.COLLECTIVE,
        Kind.GRAPH,
        Kind.STEP,
    )
)
_SIZES = frozenset((Kind.ALLOC, Kind.FREE))


def fingerprint(captures: Sequence[Capture], durations: Durations, gpu: Gpu) -> str:
    """Equal where all ranks submit equal work to equal streams in equal order.

    A kernel's arguments hold seeds and remains of the stack: of them only what the estimate makes
    of them counts.
    """
    digest = hashlib.sha256()
    for capture in captures:
        digest.update(f"{capture.header.rank} {capture.header.world_size} ".encode())
        digest.update(_sequence(capture, durations, gpu))
    return digest.hexdigest()[:32]


def _sequence(capture: Capture, durations: Durations, gpu: Gpu) -> bytes:
    """By stream, because host threads race each other between streams."""
    contents = {
        d.id: _content(d, durations.estimate(d, gpu).duration_ns if d.kind == Kind.KERNEL else 0)
        for d in capture.definitions()
        if d.kind in _WORK | _SIZES
    }
    sizes = [d.id for d in capture.definitions() if d.kind in _SIZES]
    events = _until_steady(capture)
    events = events[np.isin(events["def"], list(contents))]
    events = events[np.argsort(events["stream"], kind="stable")]
    words = np.array([contents[number] for number in events["def"].tolist()], np.uint64)
    amounts = np.where(np.isin(events["def"], sizes), events["b"], 0).astype(np.uint64)
    columns = np.stack([words, events["stream"].astype(np.uint64), amounts])
    return hashlib.sha256(columns.tobytes()).digest()


def _until_steady(capture: Capture) -> Events:
    """How long a program goes on after its steps were found depends on the machine."""
    found = [d.id for d in capture.definitions() if d.kind == Kind.STEP and d.op == "steady"]
    at = np.flatnonzero(np.isin(capture.events["def"], found))
    return capture.events[: at[0] + 1] if len(at) else capture.events


def _content(definition: Definition, duration_ns: int) -> int:
    told = ((name, value) for name, value in definition.fields.items() if name != REACH)
    fields = sorted((name, str(value)) for name, value in told)
    text = repr((definition.op, definition.kind, fields, definition.extra, duration_ns)).encode()
    blob = b"" if duration_ns else definition.blob
    return int.from_bytes(hashlib.sha256(text + blob).digest()[:8], "little")
