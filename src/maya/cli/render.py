"""Formatting of numbers and output, shared by the commands."""

import json
import re
import sys
from typing import Any

from rich.console import Console
from rich.text import Text

from maya.units import GIB, KIB, MIB

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


stdout = SafeConsole()
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


def print_json(value: Any) -> None:
    """One JSON document on stdout."""
    print_text(json.dumps(value, indent=2, default=str) + "\n")


def print_text(text: str) -> None:
    """On stdout, as it is."""
    sys.stdout.write(text)
    sys.stdout.flush()
