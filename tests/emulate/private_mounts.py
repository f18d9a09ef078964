"""Disks of a test's own, which nobody else sees. Some containers do not allow them."""

import functools
import shutil
import subprocess
import tempfile
from pathlib import Path

_IN_OWN_MOUNTS = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c")
SMALL_DISK = 'mount -t tmpfs -o size=8M none "$0" && cd "$0" && exec "$@"'
READ_ONLY = 'mount -t tmpfs -o ro none "$0" && cd "$0" && exec "$@"'


def mounted(script: str, directory: Path, *command: str) -> "subprocess.CompletedProcess[str]":
    """Run a command where `script` has mounted something onto a directory."""
    words = [*_IN_OWN_MOUNTS, script, str(directory), *command]
    return subprocess.run(words, capture_output=True, text=True, timeout=120)


@functools.cache
def may_mount() -> bool:
    """Whether this machine allows it."""
    if not shutil.which("unshare"):
        return False
    with tempfile.TemporaryDirectory() as directory:
        return mounted(SMALL_DISK, Path(directory), "true").returncode == 0
