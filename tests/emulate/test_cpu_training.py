"""A script that trains on the CPU is told apart early, not only by the lack of a record."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parent / "workloads" / "cpu_training.py"
WARNING = "50 steps of the optimiser and no work for the GPU"


def _stderr(run_dir: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "maya", "emulate", "--steps", "0", "-o", str(run_dir), "--"]
    words = [*command, sys.executable, str(SCRIPT), *arguments]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert done.stdout == "done\n"
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_training_on_the_cpu_is_said_once(tmp_path: Path) -> None:
    assert _stderr(tmp_path / "cpu").count(WARNING) == 1
    assert WARNING not in _stderr(tmp_path / "gpu", "--cuda")
