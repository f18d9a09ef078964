"""The calls of one capture as columns, with polling threads left out."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from maya.trace import Capture
from maya.trace.format import Kind

I64 = npt.NDArray[np.int64]
_POLLS = ("query", "event_query")


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

    def take(self, which: npt.NDArray[np.generic]) -> "Rows":
        """Some of the rows."""
        return Rows(*(getattr(self, name)[which] for name in self.__slots__))


def read_rows(capture: Capture) -> Rows:
    """Every call that matters; threads that only poll are not the program."""
    events = capture.events
    index = np.flatnonzero(_of_program(capture))
    chosen = events[index]

    def column(name: str) -> I64:
        return chosen[name].astype(np.int64)

    names = ("thread", "stream", "start_ns", "cpu_ns", "call_ns", "a", "b")
    columns = {name: column(name) for name in names}
    return Rows(definition=column("def"), **columns, event=index.astype(np.int64))


def _of_program(capture: Capture) -> npt.NDArray[np.bool_]:
    events = capture.events
    idle = [d.id for d in capture.definitions() if _is_idle(d.kind, d.text("what"))]
    does = ~np.isin(events["def"], idle)
    working = np.unique(events["thread"][does])
    return np.isin(events["thread"], working)


def _is_idle(kind: int, what: str) -> bool:
    return kind in (Kind.THREAD, Kind.INFO) or (kind == Kind.SYNC and what in _POLLS)
