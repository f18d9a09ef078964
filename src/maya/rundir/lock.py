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
    """Nobody else writes or reads what `path` guards; it says who does."""
    with path.open("a+", encoding="ascii") as file:
        _take(file.fileno(), fcntl.LOCK_EX, path)
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


@contextmanager
def held_for_reading(path: Path) -> Iterator[None]:
    """Nobody writes; a directory without a lock file is nobody's."""
    try:
        file = path.open("r", encoding="ascii")
    except OSError:
        yield
        return
    with file:
        _take(file.fileno(), fcntl.LOCK_SH, path)
        yield


def _take(descriptor: int, kind: int, path: Path) -> None:
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
