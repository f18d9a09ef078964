"""The files that a program leaves in the run directory.

maya itself cannot be imported here: this is the program's interpreter. maya/rundir/names.py says
what each file is for.
"""

import contextlib
import json
import os
from collections.abc import Mapping

STOP = "stop"
KILLED_CHILD = "killed-child"
GROUPS = "groups.txt"
PARTNERS = "partners-{rank}.txt"
ALLOCATOR_SUFFIX = ".memory.json"
SNAPSHOT_SUFFIX = ".snapshot.json"
SERVED = "served-{process}.jsonl"
STACKS = "stacks"


def beside_the_capture(suffix: str) -> str:
    """A file of this process."""
    rank = os.environ.get("RANK", "")
    stem = (f"rank{rank}-" if rank.isdigit() else "") + str(os.getpid())
    return os.path.join(os.environ["MAYA_RUN_DIR"], stem + suffix)


def leave(suffix: str, described: Mapping[str, object]) -> None:
    """Write one as JSON; a full disk is told by the recorder, in one place."""
    path = beside_the_capture(suffix)
    with contextlib.suppress(OSError):
        with open(path + ".part", "w", encoding="utf-8") as file:
            json.dump(described, file)
        os.replace(path + ".part", path)
