"""Threads of a server that compute on one line of Python for ever, so that nobody is answered.

Whoever computes moves the clock by its CPU time, so others wait as long as on a real machine.
"""

import ctypes
import os
import re
import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

_SIGNAL = signal.SIGRTMAX - 2  # emulator/inside/maya_inside/stacks.py
_ANSWER_S = 0.3
_FRAME = re.compile(r'File "(?P<file>.+)", line (?P<line>\d+) in (?P<function>.+)')


class Thread(NamedTuple):
    """One of the job."""

    process: int
    number: int

    @property
    def place(self) -> Path:
        """Of what the kernel knows of it."""
        return Path(f"/proc/{self.process}/task/{self.number}")


class Frame(NamedTuple):
    """A function that a thread is in."""

    file: str
    line: str
    function: str


@dataclass(frozen=True, slots=True)
class Spinner:
    """A thread that has been computing in one function."""

    thread: Thread
    name: str
    frame: Frame
    cpu_s: float

    def __str__(self) -> str:
        who = f"thread {self.thread.number} ({self.name}) of process {self.thread.process}"
        where = f"{self.frame.function}, {self.frame.file}:{self.frame.line}"
        return f"{who} has computed for {self.cpu_s:.0f} s in {where}"


class SpinnerWatch:
    """Looks at the busiest thread of a job again and again."""

    def __init__(self, stacks: Path) -> None:
        self._stacks = stacks
        self._last_cpu_s: dict[Thread, float] = {}
        self._spinner: Spinner | None = None

    def forget(self) -> None:
        """Nobody waits for anything."""
        self._last_cpu_s, self._spinner = {}, None

    def look(self, processes: Iterable[int]) -> Spinner | None:
        """Who has been computing in one function at this and earlier looks, and for how long."""
        cpu_s = {thread: _cpu_s(thread) for thread in _threads(processes)}
        used_s = {one: s - self._last_cpu_s.get(one, s) for one, s in cpu_s.items()}
        self._last_cpu_s = cpu_s
        busiest = max(used_s, key=lambda one: used_s[one], default=None)
        frame = self._frame(busiest) if busiest is not None and used_s[busiest] > 0 else None
        if busiest is None or frame is None:
            self._spinner = None
            return None
        before, last = 0.0, self._spinner
        if last is not None and (last.thread, last.frame.function) == (busiest, frame.function):
            before = last.cpu_s
        self._spinner = Spinner(busiest, _name(busiest), frame, before + used_s[busiest])
        return self._spinner

    def _frame(self, thread: Thread) -> Frame | None:
        """Where it is; None where it runs no Python."""
        if not _is_answered(thread):
            return None
        os.truncate(self._stacks, 0)
        if ctypes.CDLL(None).tgkill(thread.process, thread.number, _SIGNAL) != 0:
            return None
        time.sleep(_ANSWER_S)
        found = _FRAME.search(self._stacks.read_text("utf-8", "replace"))
        return Frame(**found.groupdict()) if found else None


def _threads(processes: Iterable[int]) -> Iterator[Thread]:
    for process in processes:
        with suppress(OSError):
            for task in Path(f"/proc/{process}/task").iterdir():
                yield Thread(process, int(task.name))


def _cpu_s(thread: Thread) -> float:
    with suppress(OSError):
        return int((thread.place / "schedstat").read_text("ascii").split()[0]) / 1e9
    return 0.0


def _name(thread: Thread) -> str:
    with suppress(OSError):
        first = (thread.place / "status").read_text("utf-8").partition("\n")[0]
        return first.removeprefix("Name:").strip()
    return "?"


def _is_answered(thread: Thread) -> bool:
    """A process that does not know the signal would be ended by it."""
    with suppress(OSError):
        caught = re.search(r"SigCgt:\s*(\w+)", (thread.place / "status").read_text("ascii"))
        return caught is not None and bool(int(caught[1], 16) >> (_SIGNAL - 1) & 1)
    return False
