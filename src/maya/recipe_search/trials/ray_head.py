"""A Ray cluster on this machine that ends with this process, however it ends."""

import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from maya.emulator.guard import guarded
from maya.errors import MayaError

_END_S = 10.0
# Ray's daemons are below it, and so below its guard; they would outlive a driver that is killed.
_PROGRAM = """
import sys
import ray

quiet = {"log_to_driver": False, "configure_logging": False, "include_dashboard": False}
print(ray.init(_temp_dir=sys.argv[1], **quiet).address_info["address"], flush=True)
sys.stdin.read()
ray.shutdown()
"""


class RayHead:
    """Started when made; close it."""

    def __init__(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="maya-ray-"))
        # The cluster's own token, which its daemons and this process must have from their start.
        os.environ.setdefault("RAY_AUTH_MODE", "token")
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
        words = [sys.executable, "-c", _PROGRAM, str(self.directory)]
        guard, env = guarded(words, os.environ, remove=self.directory)
        self._process = subprocess.Popen(
            guard,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,  # Ctrl-C is ours to pass on
        )
        assert self._process.stdout is not None
        self.address = self._process.stdout.readline().strip()
        if not self.address:
            self.close()
            raise MayaError("Ray does not start here", hint="`ray start --head` tells why")

    def close(self) -> None:
        """End the cluster and remove what it keeps on disk."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)
