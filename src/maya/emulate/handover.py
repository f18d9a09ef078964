"""Launchers that a command comes to by way of another program: a shell script, env, uv.

The command is run as it is. Where a launcher is about to begin, the code inside Python writes down
how it was called and waits; the command is ended there, and the launcher's ranks are started by us.
"""

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from maya.rundir import RunDirectory, names

VARIABLE = "MAYA_HAND_OVER"  # where to write it
_OURS = ("LD_PRELOAD", "PWD", "OLDPWD", "SHLVL", "_")


@dataclass(frozen=True, slots=True)
class Handed:
    """A launcher's command with what its surroundings changed."""

    command: list[str]
    environment: dict[str, str]
    directory: Path


def possible(nodes: int | None) -> bool:
    """Whether a launcher's ranks may be taken over: its directory becomes that of this process."""
    return nodes is not None and threading.current_thread() is threading.main_thread()


def read_handed(run_dir: RunDirectory, before: Mapping[str, str]) -> Handed | None:
    """What a launcher left; `before` is the environment that the command was given."""
    text = run_dir.text(names.LAUNCHER)
    if text is None:
        return None
    read = json.loads(text)
    changed = {
        name: value
        for name, value in read["environment"].items()
        if before.get(name) != value and name not in _OURS and not name.startswith("MAYA_")
    }
    return Handed(read["command"], changed, Path(read["directory"]))
