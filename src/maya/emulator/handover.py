"""Launchers that a command comes to by way of another program: a shell script, env, uv.

The command is run as it is. Where a launcher is about to begin, the code inside Python writes down
how it was called and waits; the command is ended there, and the launcher's ranks are started by us.
"""

import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from maya.emulator.launchers import all_commands
from maya.rundir import RunDirectory, names

_VARIABLE = "MAYA_HAND_OVER"  # where to write it
_LAUNCHERS = "MAYA_LAUNCHERS"  # the commands that hand over, with commas between
_SCHEDULERS = Path(__file__).resolve().parent / "inside/scheduler_bin"
_OURS = ("LD_PRELOAD", "PATH", "PWD", "OLDPWD", "SHLVL", "_")


@dataclass(frozen=True, slots=True)
class Handed:
    """A launcher's command with what its surroundings changed."""

    command: list[str]
    environment: dict[str, str]
    directory: Path


def possible(nodes: int | None) -> bool:
    """Whether a launcher's ranks may be taken over: its directory becomes that of this process."""
    return nodes is not None and threading.current_thread() is threading.main_thread()


def asking(env: Mapping[str, str], run_dir: RunDirectory, *, in_shell: bool) -> dict[str, str]:
    """The environment of a command that may come to a launcher.

    `in_shell`: it may call a scheduler's commands, which are not installed here. Python programs
    are not shown them: some look for srun to find out where they are.
    """
    own = {
        _VARIABLE: str(run_dir.file(names.LAUNCHER)),
        _LAUNCHERS: ",".join(called for _, called in all_commands()),
    }
    if in_shell:
        own["PATH"] = os.pathsep.join([str(_SCHEDULERS), env.get("PATH", os.defpath)])
    return dict(env) | own


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
