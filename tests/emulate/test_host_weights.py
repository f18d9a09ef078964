"""Models that are built on the CPU cost neither minutes nor the host's memory."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parent / "workloads" / "host_weights.py"


def test_large_weights_on_the_host_are_neither_drawn_nor_held(
    tmp_path: Path, workload_environment: dict[str, str]
) -> None:
    line = [sys.executable, "-m", "maya", "emulate", "--steps", "0", "-o", "run", "--"]
    done = subprocess.run(
        [*line, sys.executable, str(SCRIPT)],
        cwd=tmp_path,
        env=os.environ | workload_environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
