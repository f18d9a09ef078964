"""Starting processes that cannot outlive this one, however it ends."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from maya.emulate.native import GUARD, native_dir

_PRELOAD = "MAYA_GUARD_PRELOAD"  # what the guard gives its command: it needs no emulated device


def guarded(
    argv: Sequence[str], env: Mapping[str, str], *, remove: Path | None = None
) -> tuple[list[str], dict[str, str]]:
    """The command under a guard, which ends it and all it started when this process is gone.

    `remove`: a directory that goes with them. Must be started by this process itself.
    """
    guard = native_dir() / GUARD
    if not guard.exists():
        return list(argv), dict(env)
    own = dict(env)
    if "LD_PRELOAD" in own:
        own[_PRELOAD] = own.pop("LD_PRELOAD")
    directory = ["--remove", str(remove)] if remove else []
    return [str(guard), *directory, str(os.getpid()), *argv], own
