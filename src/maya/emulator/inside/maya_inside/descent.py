"""Notes in the environment which Python processes of the program a process descends from.

The core reads it (native/core/helper.cpp) to tell the rank from what the rank starts.
"""

import os

VARIABLE = "MAYA_PROCESSES"


def sign() -> None:
    """Add this process, for those that it will start; another RANK begins anew."""
    rank = os.environ.get("RANK", "")
    noted, _, older = os.environ.get(VARIABLE, "").partition(":")
    known = [older] if older and noted == rank else []
    os.environ[VARIABLE] = f"{rank}:{','.join([*known, str(os.getpid())])}"
