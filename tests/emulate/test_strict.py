"""A call without a body: named where it was made, and with --strict the end of the run."""

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parent / "workloads" / "unsupported_call.py"
NOT_SUPPORTED = 801


def emulate(run_dir: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "maya", "emulate", "-o", str(run_dir), *options]
    return subprocess.run(
        [*command, "--", sys.executable, str(SCRIPT)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_an_unsupported_call_gets_the_real_status_and_is_named_with_its_line(tmp_path):
    done = emulate(tmp_path / "run")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"status {NOT_SUPPORTED}\n"
    assert "cudaArrayGetInfo" in done.stderr
    assert "unsupported_call.py:9" in done.stderr


def test_strict_stops_at_the_call_and_says_which(tmp_path):
    done = emulate(tmp_path / "run", "--strict")
    assert done.returncode == 5
    assert done.stdout == ""
    assert "cudaArrayGetInfo" in done.stderr
    assert "unsupported_call.py:9" in done.stderr
    assert json.loads((tmp_path / "run/run.json").read_text())["ended_by"] == "strict"
