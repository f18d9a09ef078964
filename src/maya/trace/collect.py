"""The captures of a run."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from maya.errors import MayaError
from maya.trace.capture import Capture, read_capture


@dataclass(frozen=True, slots=True)
class Run:
    """A run directory, or a single capture file."""

    path: Path
    captures: tuple[Capture, ...]
    description: dict[str, Any]  # run.json; empty where there is none


def collect(path: Path | str) -> Run:
    """Read a run: its directory, or one of its capture files."""
    path = Path(path)
    if not path.exists():
        raise MayaError(f"{path} does not exist", hint="give a run directory or a .maya file")
    if path.is_file():
        return Run(path, (read_capture(path),), _description(path.parent))
    files = sorted(path.glob("*.maya"), key=_by_rank)
    if not files:
        raise MayaError(
            f"{path} holds no captures",
            hint="the program made no device call, or this is not a directory of `maya emulate`",
        )
    return Run(path, tuple(map(read_capture, files)), _description(path))


def _description(directory: Path) -> dict[str, Any]:
    try:
        loaded = json.loads((directory / "run.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return loaded if isinstance(loaded, dict) else {}


def _by_rank(path: Path) -> tuple[int, str]:
    match = re.match(r"rank(\d+)-", path.name)
    return (int(match.group(1)) if match else -1, path.name)
