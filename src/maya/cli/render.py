"""Formatting of numbers and output, shared by the commands."""

import json
import sys
from typing import Any

from rich.console import Console

from maya.units import GIB, KIB, MIB

stdout = Console()
stderr = Console(stderr=True, highlight=False)


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
    json.dump(value, sys.stdout, indent=2, default=str)
    sys.stdout.write("\n")
    sys.stdout.flush()
