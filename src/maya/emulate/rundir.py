"""The directory of a run. `run.json` is written last, so without it a run is not complete."""

import contextlib
import json
import os
import re
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from maya.errors import MayaError

RUN_FILE = "run.json"
# Written by the native core: why it stopped the program, or stopped recording.
STOP_FILE = "stop"
ERROR_FILE = "error"
STRICT_FILE = "strict"
FAILURE_FILE = "failure"  # why the job as a whole cannot go on
FAILED_RANKS = "failed-rank*"  # one file for each rank that ended with an error: its exit code
DEVICE_FILE = "device.txt"
MARKER = ".maya-run"  # tells an interrupted run from somebody's files


def default_run_dir(command: list[str]) -> Path:
    """maya-runs/<time>-<name of the script>, never one that exists."""
    words = [word for word in command if not word.startswith("-")]
    script = next((word for word in words if word.endswith(".py")), words[0] if words else "run")
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", Path(script).stem) or "run"
    base = Path("maya-runs") / f"{time.strftime('%Y%m%d-%H%M%S')}-{name}"
    path, number = base, 1
    while path.exists():
        number += 1
        path = base.with_name(f"{base.name}-{number}")
    return path


def prepare(path: Path, *, force: bool = False) -> Path:
    """An empty directory for a run; an earlier run there is replaced, other files are not."""
    path = path.absolute()
    if path.exists() and not path.is_dir():
        raise MayaError(f"{path} is a file", hint="give a directory with -o")
    try:
        occupied = path.is_dir() and any(path.iterdir())
        if occupied and not (is_run(path) or force):
            raise MayaError(
                f"{path} is not empty and holds no earlier run",
                hint="choose another directory with -o, or --force to use this one",
            )
        if occupied and is_run(path):
            clear(path)
        path.mkdir(parents=True, exist_ok=True)
        (path / MARKER).touch()
    except OSError as error:
        raise MayaError(
            f"cannot write to {path}: {error.strerror}", hint="choose another directory with -o"
        ) from error
    return path


def is_run(path: Path) -> bool:
    """Whether this directory was made by us, complete or not."""
    return (path / MARKER).exists() or (path / RUN_FILE).exists()


def captures(path: Path) -> list[Path]:
    """The capture files of a run, by rank."""
    return sorted(path.glob("*.maya"), key=_by_rank)


def write_run_file(path: Path, content: dict[str, Any]) -> None:
    """Write run.json so that it is either whole or absent."""
    temporary = path / f".{RUN_FILE}.{os.getpid()}"
    try:
        with temporary.open("w", encoding="utf-8") as file:
            file.write(json.dumps(content, indent=2) + "\n")
            file.flush()
            os.fsync(file.fileno())
        temporary.rename(path / RUN_FILE)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise MayaError(
            f"cannot write {path / RUN_FILE}: {error.strerror}", hint="free some disk space"
        ) from error


def read_text(path: Path) -> str | None:
    """The content of a small file that may not be there."""
    try:
        return path.read_text("utf-8", errors="replace").strip()
    except OSError:
        return None


@dataclass(frozen=True, slots=True)
class FailedRank:
    """A rank that ended with an error before anybody asked it to end."""

    rank: int
    exit_code: int
    seconds_ago: float


def failed_ranks(path: Path) -> list[FailedRank]:
    """The first to fail comes first: the others often fail because of it."""
    found: list[tuple[float, int, int]] = []
    for file in path.glob(FAILED_RANKS):
        with contextlib.suppress(OSError, ValueError):
            rank = int(file.name.removeprefix("failed-rank"))
            found.append((file.stat().st_mtime, rank, int(read_text(file) or 1)))
    now = time.time()
    return [FailedRank(rank, code, now - at) for at, rank, code in sorted(found)]


def clear(path: Path, keep: tuple[str, ...] = ()) -> None:
    """Remove what a run left."""
    (path / RUN_FILE).unlink(missing_ok=True)
    for entry in (entry for entry in path.iterdir() if entry.name not in keep):
        shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()


def _by_rank(path: Path) -> tuple[int, str]:
    match = re.match(r"rank(\d+)-", path.name)
    return (int(match.group(1)) if match else -1, path.name)
