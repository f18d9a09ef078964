"""A disk that stops growing in the middle of a capture: a clear message and no valid run."""

import resource
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parent / "workloads" / "endless.py"
ROOM = 3 << 20  # a capture grows by 2 MiB at a time: it begins well


def _little_room() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM))


def test_a_capture_that_cannot_grow_is_an_error_and_no_run(tmp_path):
    run_dir = tmp_path / "run"
    command = [sys.executable, "-m", "maya", "emulate", "--steps", "0", "-o", str(run_dir), "--"]
    done = subprocess.run(
        [*command, sys.executable, str(SCRIPT)],
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=_little_room,
    )
    assert done.returncode == 1, done.stderr
    assert "the capture cannot grow: File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (run_dir / "run.json").exists()
    assert any(path.stat().st_size > 1 << 20 for path in run_dir.glob("*.maya"))
