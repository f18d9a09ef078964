"""Small files that are whole or not there."""

import os
from pathlib import Path

from maya.errors import MayaError


def read_text(path: Path) -> str | None:
    """The content of a file that may not be there."""
    try:
        return path.read_text("utf-8", errors="replace").strip()
    except OSError:
        return None


def write_whole(path: Path, text: str) -> Path:
    """Readers see the file as it was before, or all of the text."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise _cannot_write(path, error) from error
    return path


def _cannot_write(path: Path, error: OSError) -> MayaError:
    return MayaError(f"cannot write {path}: {error.strerror}", hint="free some disk space")
