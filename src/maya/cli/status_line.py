"""A line at the foot of the terminal while a script prints above it.

The script writes to the terminal itself, so its lines cannot be passed on around ours. As apt does,
the last row is taken out of the region that scrolls.
"""

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from maya.rundir import RunDirectory
from maya.trace import CallCounter, has_steps

_EVERY_S = 0.25
_LEAST_ROWS, _LEAST_COLUMNS = 5, 40


class StatusLine:
    """Shows how an emulation goes; asked again and again as `EmulationOptions.enough`."""

    def __init__(self, out: TextIO = sys.stderr) -> None:
        self._out = out
        self._started = time.monotonic()
        self._looked = 0.0
        self._shown = ""
        self._rows = 0  # of the terminal, once its last one is ours
        self._counters: dict[Path, CallCounter] = {}

    def __enter__(self) -> "StatusLine":
        return self

    def __exit__(self, *_: object) -> None:
        """The terminal as it was."""
        if self._rows:
            self._write(f"\x1b7\x1b[r\x1b[{self._rows};1H\x1b[2K\x1b8")
            self._rows = 0

    def watch(self, run: Path) -> bool:
        """Draw it where it is due; the run goes on."""
        now = time.monotonic()
        if now - self._looked >= _EVERY_S:
            self._looked = now
            text = status_text(run, now - self._started, self._counters)
            if text != self._shown:
                self._draw(text)
            self._shown = text
        return False

    def _draw(self, text: str) -> None:
        size = os.get_terminal_size(self._out.fileno())
        if size.lines < _LEAST_ROWS or size.columns < _LEAST_COLUMNS:
            return
        if size.lines != self._rows:  # at first, and when the window has changed
            self._rows = size.lines
            self._write(f"\n\x1b7\x1b[1;{size.lines - 1}r\x1b8\x1b[1A")
        self._write(f"\x1b7\x1b[{size.lines};1H\x1b[2K\x1b[2m{text[: size.columns - 1]}\x1b[m\x1b8")

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()


def status_text(run: Path, seconds: float, counters: dict[Path, CallCounter]) -> str:
    """How long it has run, how many processes have come to the device, and how far they are.

    `counters`: of each capture, kept from one look to the next.
    """
    captures = RunDirectory(run).capture_files()
    doing = _doing(captures, counters) if captures else "starting"
    return f"maya: emulating, {seconds:.0f} s, {doing}"


def _doing(captures: Sequence[Path], counters: dict[Path, CallCounter]) -> str:
    calls = sum(counters.setdefault(path, CallCounter(path)).count() for path in captures)
    stepped = sum(has_steps(path) for path in captures)
    found = "no step found yet"
    if stepped:
        found = "steps found" if stepped == len(captures) else f"steps found in {stepped}"
    processes = "1 process" if len(captures) == 1 else f"{len(captures)} processes"
    return f"{processes} on the emulated GPU, {calls:,} calls recorded, {found}"
