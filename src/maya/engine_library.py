"""The native library that maya itself calls: the simulator's engine, and names of kernels."""

import ctypes
from functools import cache
from pathlib import Path

from maya.errors import MayaError

_PATH = Path(__file__).resolve().parent / "_native" / "libmaya_engine.so"


@cache
def engine_library() -> ctypes.CDLL:
    """Loaded once for a process."""
    try:
        return ctypes.CDLL(str(_PATH))
    except OSError as error:
        raise MayaError(
            f"the simulator's engine cannot be loaded: {error}",
            hint="`make build` builds it in a checkout; `pip install maya-sim` brings it",
        ) from error
