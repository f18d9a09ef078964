"""Formatting of numbers and output, shared by the commands."""

import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from maya.report import LABEL
from maya.units import GIB, KIB, MIB

STDOUT = Path("-")
_WIDEST = 100
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class SafeConsole(Console):
    """Shows control characters instead of obeying them.

    Names of kernels, notes and commands come from files that somebody else may have made; an
    escape sequence in one could move the cursor or retitle the terminal.
    """

    def render_str(self, text: str, **options: Any) -> Text:
        """Every string that is printed comes through here, cells of tables too."""
        return super().render_str(visible_text(text), **options)


def visible_text(text: str) -> str:
    """Control characters as Python would write them; lines and tabs stay."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found.group()):02x}", text)


stdout = SafeConsole(highlight=False)
stderr = SafeConsole(stderr=True, highlight=False)


def gib(count: float) -> str:
    """Bytes in GiB."""
    return f"{count / GIB:.2f} GiB"


def byte_count(count: float) -> str:
    """Bytes in the unit that reads best."""
    for size, unit in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if count >= size:
            return f"{count / size:.2f} {unit}"
    return f"{count:.0f} B"


def print_json(value: Any, where: Path | None = None) -> None:
    """One JSON document, on stdout or in a file."""
    print_text(json.dumps(value, indent=2, default=str) + "\n", where)


def print_text(text: str, where: Path | None = None) -> None:
    """On stdout as it is, or in a file that was named."""
    if where is not None and where != STDOUT:
        where.write_text(text, encoding="utf-8")
        return
    sys.stdout.write(text)
    sys.stdout.flush()


def print_rows(console: Console, lines: Iterable[str]) -> None:
    """Lines with a label of `LABEL` columns; what is too long goes on below its own text."""
    for line in lines:
        text = console.render_str(line)
        label, rest = text.divide([LABEL])
        for index, part in enumerate(rest.wrap(console, answer_width(console) - LABEL)):
            part.rstrip()
            console.print((label if index == 0 else Text(" " * LABEL)) + part, soft_wrap=True)


def print_wrapped(console: Console, line: str) -> None:
    """A paragraph, no wider than the rest of an answer."""
    for part in console.render_str(line).wrap(console, answer_width(console)):
        part.rstrip()
        console.print(part, soft_wrap=True)


def answer_width(console: Console) -> int:
    """Columns: those of the terminal, but never so many that lines are hard to read."""
    return min(_WIDEST, console.width) if console.is_terminal else _WIDEST
