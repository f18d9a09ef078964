"""What a script prints about time is the prediction."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "workloads" / "clocked.py"


def _maya(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "maya", "run", "--cluster", "h100:1", "--clock", "virtual"]
    return subprocess.run([*command, *words], capture_output=True, text=True, timeout=240)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, float], dict[str, float]]:
    """What the script printed, and the step and the device's work that were predicted."""
    out = tmp_path_factory.mktemp("clock") / "run"
    # More steps than it has: it is to come to its end.
    done = _maya("--steps", "50", "-o", str(out), "--", sys.executable, str(SCRIPT))
    assert done.returncode == 0, done.stderr
    printed = {word: float(value) for word, value in map(str.split, done.stdout.splitlines())}
    summary = json.loads((out / "summary.json").read_text())
    return printed, {"step": summary["step"]["time_ms"], "busy": summary["device"]["busy_ms"]}


@pytest.mark.parametrize("clock", ["host", "events"])
def test_the_step_by_its_own_clocks_is_mayas(run, clock: str) -> None:
    printed, predicted = run
    assert printed[clock] == pytest.approx(predicted["step"], rel=0.02)


def test_a_profile_shows_what_the_device_does(run) -> None:
    printed, predicted = run
    assert printed["profiler"] == pytest.approx(predicted["busy"], rel=0.02)


def test_ranks_of_a_launcher_are_refused() -> None:
    launcher = ["-m", "torch.distributed.run", "--nproc-per-node=1"]
    done = _maya("--", sys.executable, *launcher, str(SCRIPT))
    assert done.returncode == 1
    assert "one process" in done.stderr
