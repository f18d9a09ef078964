"""What a command prints in a terminal, as a picture."""

import io
import os
import pty
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

_COLUMNS = 100
_CURSOR = re.compile(
    r"\x1b\[(?:\?25[lh]|\d*A)"
)  # hidden, shown, up: of a line that goes away again
_ERASED = "\x1b[2K"
_LINE_ABOVE_ERASED = f"\x1b[1A{_ERASED}"


def printed_in_terminal(command: Sequence[str], place: Path, env: Mapping[str, str]) -> str:
    """All that it leaves there, with its colours."""
    ours, its = pty.openpty()
    size = {"COLUMNS": str(_COLUMNS), "TERM": "xterm-256color"}
    with subprocess.Popen(command, cwd=place, env={**env, **size}, stdout=its, stderr=its):
        os.close(its)
        printed = b"".join(iter(lambda: _read(ours), b""))
    os.close(ours)
    return _left(printed.decode("utf-8", "replace").replace("\r\n", "\n"))


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # the last program has closed it
        return b""


def _left(printed: str) -> str:
    """Without what was erased: lines that told of progress."""
    kept: list[str] = []
    for line in printed.split("\n"):
        if _LINE_ABOVE_ERASED in line:
            del kept[-1:]
        kept.append(_CURSOR.sub("", line.rpartition(_ERASED)[2].rpartition("\r")[2]))
    return "\n".join(kept)


def draw_terminal(text: str, picture: Path, title: str) -> None:
    """Its lines as rich draws them."""
    console = Console(record=True, width=_COLUMNS + 1, file=io.StringIO())
    console.print(Text.from_ansi(text))
    picture.write_text(console.export_svg(title=title), encoding="utf-8")
