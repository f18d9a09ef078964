"""The copy-on-write layer over the user's files: what a run writes stays in its run directory.

`native/files` redirects the program's calls. Here it is set up, counted and discarded.
"""

import os
import shutil
import struct
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from maya.emulator.confinement import can_confine
from maya.emulator.guard import DISCARD
from maya.emulator.let_through import cache_directories, keep_caches
from maya.emulator.native import FILES, native_dir
from maya.errors import MayaError
from maya.rundir import HeldFiles, RunDirectory, names, remove_tree

CONFINE = "MAYA_FILES_CONFINE"  # 1: the kernel, too, refuses writes elsewhere
LAYER = "MAYA_FILES"
_PASS = "MAYA_FILES_PASS"
_TOTALS = struct.Struct("<5Q")  # native/files/index.h, struct Totals
_LEAST_FREE_BYTES = 1 << 20
_TREE, _INDEX, _WORK, _SHARED = "tree", "index", "work", "shared"  # native/files/settings.h


def layer_environment(run_dir: Path, env: Mapping[str, str]) -> dict[str, str]:
    """`env` with the layer over everything but caches."""
    library = native_dir() / FILES
    if not library.exists():
        raise MayaError(
            "the library that protects your files is not built",
            hint="`make build` builds it in a checkout; --allow-writes goes without",
        )
    run_dir = run_dir.resolve()
    passed = [str(path) for path in cache_directories(env) if path.is_dir()]
    return dict(env) | {
        "LD_PRELOAD": _joined(str(library), env.get("LD_PRELOAD")),
        LAYER: str(run_dir / names.HELD_FILES),
        _PASS: _joined(*passed, str(run_dir), env.get(_PASS)),
        CONFINE: "1",
        "WANDB_MODE": "disabled",  # its service would be ended (inside/maya_inside/trackers.py)
    }


def _joined(*parts: str | None) -> str:
    return ":".join(filter(None, parts))


def place_of(directory: Path, run_dir: Path) -> Path:
    """Where a directory of the program is: the user may have none of that name."""
    held = Path(f"{run_dir.resolve() / names.HELD_FILES / _TREE}{directory}")
    return held if held.is_dir() and not directory.is_dir() else directory


def forget_pass(run_dir: RunDirectory) -> None:
    """Before ranks are launched again: they shall not find the checkpoints of their last life."""
    here = Path.cwd()
    run_dir.clear(keep=(names.DEVICE, names.HELD_AT_LAUNCH))
    if run_dir.has(names.HELD_AT_LAUNCH):
        held = run_dir.file(names.HELD_FILES)
        shutil.copytree(run_dir.file(names.HELD_AT_LAUNCH), held, symlinks=True)
        os.chdir(here)  # it may be in there: see `place_of`


class FileLayer:
    """Lies over the user's files while a command runs; `held` says afterwards what it kept."""

    def __init__(
        self, run_dir: RunDirectory, env: Mapping[str, str], *, active: bool, keep: bool
    ) -> None:
        self.environment = layer_environment(run_dir.path, env) if active else dict(env)
        if active and not keep:
            self.environment[DISCARD] = self.environment[LAYER]
        self.held: HeldFiles | None = None
        self._run_dir = run_dir
        self._active = active
        self._keep = keep

    def __enter__(self) -> "FileLayer":
        root = self._run_dir.file(names.HELD_FILES)
        if self._active and root.exists():  # of the command that has come to a launcher
            shutil.copytree(root, self._run_dir.file(names.HELD_AT_LAUNCH), symlinks=True)
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        # Before a launcher the program may have made files that the ranks need.
        if self._active and not self._run_dir.has(names.LAUNCHER):
            self._close(self._run_dir.file(names.HELD_FILES))
            remove_tree(self._run_dir.file(names.HELD_AT_LAUNCH))

    def _close(self, root: Path) -> None:
        keep_caches(root / _TREE, self.environment)
        self.held = _count(root, self._keep)
        (root / _INDEX).unlink(missing_ok=True)
        for path in (root / _WORK, root / _SHARED) if self._keep else (root,):
            remove_tree(path)


def _count(root: Path, keep: bool) -> HeldFiles:
    try:
        with (root / _INDEX).open("rb") as file:
            _, _, made, removed_bytes, hidden = _TOTALS.unpack(file.read(_TOTALS.size))
    except (OSError, struct.error):  # the command never started
        return HeldFiles(0, 0, 0)
    left = [
        Path(directory, name).lstat().st_size
        for directory, _, file_names in os.walk(root / _TREE)
        for name in file_names
    ]
    return HeldFiles(
        files=made,
        bytes=sum(left) + removed_bytes,
        removed=hidden,
        kept=str(root / _TREE) if keep else None,
        disk_full=shutil.disk_usage(root).free < _LEAST_FREE_BYTES,
        confined=can_confine(),
        removed_again=max(0, made - len(left)),
    )
