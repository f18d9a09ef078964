"""Reads text files that people write."""

from pathlib import Path

from maya.errors import MayaError

_MOST_BYTES = 16 << 20  # far beyond what anybody types


def read_user_text(path: Path, *, hint: str = "check the path") -> str:
    """The text of a file; MayaError where it cannot be read, is no text, or is far too long."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise MayaError(f"{path} is larger than {_MOST_BYTES >> 20} MiB", hint=hint)
        return path.read_text("utf-8")
    except OSError as error:
        raise MayaError(f"cannot read {path}: {error.strerror}", hint=hint) from error
    except UnicodeDecodeError as error:
        raise MayaError(f"{path} is not text in UTF-8", hint=hint) from error
