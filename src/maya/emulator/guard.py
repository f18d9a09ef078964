"""Starting processes that cannot outlive this one, however it ends."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from maya.emulator.native import GUARD, native_dir

DISCARD = "MAYA_FILES_DISCARD"  # a directory that goes with the command, which never sees this
_PRELOAD = "MAYA_GUARD_PRELOAD"  # what the guard gives its command: it needs no emulated device


def guarded(
    argv: Sequence[str], env: Mapping[str, str], *, remove: Path | None = None
) -> tuple[list[str], dict[str, str]]:
    """The command under a guard, which ends it and all it started when this process is gone.

    `remove`: a directory that goes with them. Must be started by this process itself.
    """
    guard, own = native_dir() / GUARD, dict(env)
    discarded = own.pop(DISCARD, None)
    if not guard.exists():
        return list(argv), own
    remove = remove or (Path(discarded) if discarded else None)
    if "LD_PRELOAD" in own:
        own[_PRELOAD] = own.pop("LD_PRELOAD")
    directory = ["--remove", str(remove)] if remove else []
    return [str(guard), *directory, str(os.getpid()), *argv], own
