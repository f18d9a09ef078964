"""Runs programs under the layer over files, without an emulated device."""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from maya.emulator.held_files import layer_environment


def snapshot(root: Path) -> dict[str, tuple[object, ...]]:
    """Everything about every file below `root` that a program could change."""
    found: dict[str, tuple[object, ...]] = {}
    for path in [root, *root.rglob("*")]:
        about = path.lstat()
        content = ""
        if path.is_symlink():
            content = str(path.readlink())
        elif path.is_file():
            content = hashlib.sha256(path.read_bytes()).hexdigest()
        facts = (about.st_mode, about.st_nlink, about.st_uid, about.st_mtime_ns, about.st_ctime_ns)
        found[str(path.relative_to(root))] = (*facts, content)
    return found


def run_under_layer(
    words: Sequence[str], directory: Path, layer: Path, *, confine: bool = True
) -> subprocess.CompletedProcess[str]:
    """The command in `directory`; what it writes comes to `layer`."""
    layer.mkdir(exist_ok=True)
    env = layer_environment(layer, os.environ) | {"MAYA_RUN_DIR": str(layer)}
    env["MAYA_FILES_CONFINE"] = str(int(confine))
    return subprocess.run(words, cwd=directory, env=env, capture_output=True, text=True)


def run_script(script: str, directory: Path, layer: Path) -> str:
    """What Python prints."""
    result = run_under_layer([sys.executable, "-c", script], directory, layer)
    assert result.returncode == 0, result.stderr
    return result.stdout


def users_directory(place: Path, *, hard_links: bool = False) -> Path:
    """A few files of every kind."""
    for name in ("a/b", "a/d", "b/a/c.pt", "d"):
        (place / name).mkdir(parents=True)
    for number, name in enumerate(("a/a", "a/b/c.pt", "b/b", "b/a/c.pt/d", "c.pt", "d/a")):
        (place / name).write_bytes(bytes([number]) * (3000 * number + 7))
    (place / "a/c.pt").symlink_to("b/c.pt")
    (place / "b/d").symlink_to("../a")
    (place / "d/b").symlink_to("nowhere")
    if hard_links:
        os.link(place / "c.pt", place / "d/hard")
    return place


def twin(directory: Path) -> Path:
    """A copy that a program may really change."""
    return Path(shutil.copytree(directory, directory.with_name("twin"), symlinks=True))
