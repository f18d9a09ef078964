"""Hands a launcher's command over to maya, which starts its ranks and ends this process."""

import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from typing import NoReturn

_PATIENCE_S = 60.0


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
