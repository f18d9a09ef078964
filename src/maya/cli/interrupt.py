"""Ctrl-C and SIGTERM: the command ends, with all that it started, and says what it keeps."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from maya.errors import Interrupted

_HEEDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def heed_signals() -> None:
    """From now on they raise Interrupted in the main thread."""
    for number in _HEEDED:
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup
            signal.signal(number, _interrupt)


def _interrupt(number: int, _frame: FrameType | None) -> None:
    raise Interrupted(number)


@contextmanager
def keeping(text: str) -> Iterator[None]:
    """What is said to be kept when a signal comes now."""
    try:
        yield
    except Interrupted as stop:
        raise Interrupted(stop.number, text) from None
