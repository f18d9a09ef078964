"""Hands a launcher's command over to maya, which starts its ranks and ends this process."""

import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from typing import NoReturn

_PATIENCE_S = 60.0
# Of the interpreter's -X options, where a script that starts ranks itself is one of ours:
# programs look at the environment.
_MARK = "maya_spawned"


def hand_over(command: Sequence[str], changes: Mapping[str, str] = os.environ) -> NoReturn:
    """Write down how the launcher was called, and wait to be ended."""
    path = os.environ["MAYA_HAND_OVER"]
    own = f"{path}.{os.getpid()}"
    told = {
        "command": list(command),
        "environment": {**os.environ, **changes},
        "directory": os.getcwd(),
    }
    with open(own, "w", encoding="utf-8") as file:
        json.dump(told, file)
    os.rename(own, path)
    time.sleep(_PATIENCE_S)
    sys.exit("maya: nobody took over from this launcher")


def hand_over_own_ranks(ranks: int, per_node: int) -> NoReturn:
    """The script that runs is to be run once more for each rank, and knows there that it is one."""
    job = {"WORLD_SIZE": str(ranks), "LOCAL_WORLD_SIZE": str(per_node)}
    hand_over([sys.executable, "-X", _MARK, *sys.orig_argv[1:]], job)


def is_own_rank() -> bool:
    """Whether this process is such a rank."""
    return _MARK in sys._xoptions
