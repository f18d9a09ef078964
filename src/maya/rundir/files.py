"""Small files that are whole or not there."""

import contextlib
import errno
import os
import shutil
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from maya.errors import MayaError


def read_text(path: Path) -> str | None:
    """The content of a file that may not be there."""
    try:
        return path.read_text("utf-8", errors="replace").strip()
    except OSError:
        return None


def write_whole(path: Path, text: str, *, durable: bool = True) -> Path:
    """Readers see the file as it was, or all of the text; `durable`: after a power cut too."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}_{threading.get_ident()}")
    try:
        with temporary.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise cannot_write(path, error) from error
    return path


def remove_tree(path: Path) -> None:
    """With directories that a program has made read-only; what cannot go stays."""
    shutil.rmtree(path, onerror=_try_writable)


def _try_writable(remove: Callable[..., Any], path: str, _error: object) -> None:
    entry = Path(path)
    with contextlib.suppress(OSError):
        for place in (entry.parent, entry):
            if stat.S_ISDIR(place.lstat().st_mode):
                place.chmod(0o700)
        entry.unlink() if remove is os.unlink else shutil.rmtree(entry)


def cannot_write(path: Path, error: OSError) -> MayaError:
    """What a person reads, and what to do."""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    hint = "free some disk space" if full else "copy the run to a directory that you may write to"
    return MayaError(f"cannot write {path}: {error.strerror}", hint=hint)
