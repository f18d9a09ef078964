"""Keeps two commands from writing one run's directory.

The lock is the kernel's (flock): it ends with the process that holds it, however that ends, so a
lock is never stale.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from maya.errors import MayaError


@contextmanager
def held_for_writing(path: Path) -> Iterator[None]:
    """Nobody else writes what `path` guards; it says who does."""
    with path.open("a+", encoding="ascii") as file:
        _take(file.fileno(), path)
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        try:
            yield
        finally:
            file.truncate(0)  # who reads here later is somebody else


@contextmanager
def held_for_reading(path: Path) -> Iterator[None]:
    """Nobody writes what `path` guards, which is nothing where there is no such file."""
    try:
        file = path.open("rb")
    except OSError:
        yield
        return
    with file:
        _take(file.fileno(), path, fcntl.LOCK_SH)
        yield


def _take(descriptor: int, path: Path, kind: int = fcntl.LOCK_EX) -> None:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise MayaError(
            f"{path.parent} is in use{_by_whom(path)}",
            hint="wait until it has ended, or choose another directory with -o",
        ) from error
    except OSError:
        return  # a file system without locks: as good as it gets


def _by_whom(path: Path) -> str:
    with suppress(OSError, ValueError):
        return f" by process {int(path.read_text('ascii'))}"
    return ""
