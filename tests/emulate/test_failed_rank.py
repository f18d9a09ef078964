"""A job whose rank dies has failed, even if its other ranks had enough steps."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "workloads" / "rank_fails.py"
# A launcher that looks at its ranks too seldom to end the healthy one before it stops by itself.
LAUNCHER = """
import os, subprocess, sys, time
def start(rank):
    place = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": 2, "LOCAL_WORLD_SIZE": 2}
    env = os.environ | {name: str(value) for name, value in place.items()}
    return subprocess.Popen([sys.executable, *sys.argv[1:]], env=env)
ranks = [start(0), start(1)]
failed = ranks[1].wait()
time.sleep(3)
ranks[0].kill()
sys.exit(3 if ranks[0].wait() == 0 else failed if failed > 0 else 128 - failed)
"""


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("raises-at-once", "rank 1 failed with exit code 1"),
        ("killed-when-ready", "the script failed with exit code 137"),
    ],
)
def test_a_rank_that_dies_is_no_good_end(kind: str, said: str, tmp_path: Path) -> None:
    run_dir = tmp_path / "run"
    launcher = tmp_path / "launcher.py"
    launcher.write_text(LAUNCHER)
    command = [sys.executable, str(launcher), str(SCRIPT), kind, str(tmp_path / "gone")]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "maya",
            "emulate",
            "--gpus",
            "2",
            "-o",
            str(run_dir),
            "--",
            *command,
        ],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"MAYA_SETTLE_MS": "0"},  # ready as soon as its steps are found
    )
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert "enough steps recorded" not in done.stderr
    about = json.loads((run_dir / "run.json").read_text())
    assert about["ended_by"] == "script"
