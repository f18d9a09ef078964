"""The calls of one capture as columns, with background threads left out."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from maya.trace import Capture
from maya.trace.format import Kind
from maya.trace.places import placed_events

I64 = npt.NDArray[np.int64]
_POLLS = ("query", "event_query")
_BACKGROUND = (
    Kind.THREAD,
    Kind.INFO,
    Kind.ALLOC,
    Kind.FREE,
    Kind.RANGE,
    Kind.VALUE_READ,
    Kind.FEED,
)


@dataclass(frozen=True, slots=True)
class Rows:
    """One entry a call; `event` is its index in the capture."""

    definition: I64
    thread: I64
    stream: I64
    start_ns: I64
    cpu_ns: I64
    call_ns: I64
    a: I64
    b: I64
    event: I64

    def __len__(self) -> int:
        return len(self.definition)

    def take(self, which: npt.NDArray[np.generic] | slice) -> "Rows":
        """Some of the rows; a slice of them is not copied."""
        return Rows(*(getattr(self, name)[which] for name in self.__slots__))


def read_rows(capture: Capture) -> Rows:
    """Every call that matters; background threads are not the program."""
    events = capture.events
    index = np.flatnonzero(_of_program(capture))
    chosen = events[index]

    def column(name: str) -> I64:
        return chosen[name].astype(np.int64)

    names = ("thread", "stream", "start_ns", "cpu_ns", "call_ns", "a", "b")
    columns = {name: column(name) for name in names}
    return Rows(definition=column("def"), **columns, event=index.astype(np.int64))


def _of_program(capture: Capture) -> npt.NDArray[np.bool_]:
    """Calls of threads that give the device work or wait for it.

    Others run beside the program (a DataLoader's pinning thread, NCCL's watchdog): nothing on the
    device depends on them, and how long they were busy says nothing about the step.
    """
    events = capture.events
    busy = [d.id for d in capture.definitions() if not _is_background(d.kind, d.text("what"))]
    working = np.unique(events["thread"][np.isin(events["def"], busy)])
    mask: npt.NDArray[np.bool_] = np.isin(events["thread"], working)
    mask[placed_events(capture)] = False  # of one step only: it must look like the others
    return mask


def _is_background(kind: int, what: str) -> bool:
    return kind in _BACKGROUND or (kind == Kind.SYNC and what in _POLLS)
