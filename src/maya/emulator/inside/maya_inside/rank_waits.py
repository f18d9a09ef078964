"""Tells the core that this thread is in a call that only another rank can end."""

import contextlib
import ctypes
from collections.abc import Iterator


@contextlib.contextmanager
def waiting_for_rank(what: str) -> Iterator[None]:
    """Without it the core takes a wait that is our own for something that goes on."""
    core = ctypes.CDLL(None)
    if not hasattr(core, "maya_rank_wait_begins"):
        yield
        return
    core.maya_rank_wait_begins(ctypes.c_char_p(what.encode()))
    try:
        yield
    finally:
        core.maya_rank_wait_ends()
