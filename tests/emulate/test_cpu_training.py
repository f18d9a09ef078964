"""A script that trains on the CPU is told apart early, not only by the lack of a record."""

import subprocess
import sys
from pathlib import Path

from maya.errors import ExitCode

SCRIPT = Path(__file__).parent / "workloads" / "cpu_training.py"
WARNING = "50 steps of the optimiser and no work for the GPU"


def _stderr(run_dir: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "maya", "emulate", "--steps", "0", "-o", str(run_dir), "--"]
    words = [*command, sys.executable, str(SCRIPT), *arguments]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert done.stdout == "done\n"
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_training_on_the_cpu_ends_at_once(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "maya", "run", "-o", str(tmp_path / "run"), "--"]
    words = [*command, sys.executable, str(SCRIPT)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert done.returncode == ExitCode.ERROR
    assert "the script trains on the CPU" in done.stderr
    assert "--device cuda" in done.stderr
    assert "done" not in done.stdout


def test_training_on_the_cpu_is_said_once_where_all_is_recorded(tmp_path: Path) -> None:
    assert _stderr(tmp_path / "cpu").count(WARNING) == 1
    assert WARNING not in _stderr(tmp_path / "gpu", "--cuda")
