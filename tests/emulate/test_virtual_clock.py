"""What a script prints about time is the prediction."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

Printed = dict[str, list[float]]  # by clock
SCRIPT = Path(__file__).parent / "workloads" / "clocked.py"


def _maya(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "maya", "run", "--clock", "virtual", *words]
    env = os.environ | variables
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=240)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, float], dict[str, float]]:
    """What the script printed, and the step and the device's work that were predicted."""
    out = tmp_path_factory.mktemp("clock") / "run"
    # More steps than it has: it is to come to its end.
    done = _maya(
        "--cluster", "h100:1", "--steps", "50", "-o", str(out), "--", sys.executable, str(SCRIPT)
    )
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


def _ranks(out: Path, ranks: int, *words: str, **variables: str) -> tuple[Printed, float]:
    """What the ranks printed, by clock, and the step that was predicted."""
    script = SCRIPT.with_name("clocked_ranks.py")
    launcher = [sys.executable, "-m", "torch.distributed.run", f"--nproc-per-node={ranks}"]
    options = ["--steps", "50", "-o", str(out), "--cluster", f"h100:{ranks}"]
    done = _maya(*options, *words[:-1], "--", *launcher, str(script), *words[-1:], **variables)
    assert done.returncode == 0, done.stderr
    printed: Printed = {"host": [], "events": []}
    for clock, _, value in map(str.split, done.stdout.splitlines()):
        printed[clock].append(float(value))
    return printed, json.loads((out / "summary.json").read_text())["step"]["time_ms"]


def test_a_rank_that_stands_for_others_shows_mayas_step(tmp_path: Path) -> None:
    printed, step_ms = _ranks(tmp_path / "run", 8, "1")
    assert printed["host"] == pytest.approx([step_ms], rel=0.02)
    assert printed["events"] == pytest.approx([step_ms], rel=0.02)


def test_ranks_with_different_work_wait_for_each_other(tmp_path: Path) -> None:
    """Rank 1 has three times the work: it is late to every collective, and rank 0 waits."""
    printed, step_ms = _ranks(tmp_path / "run", 2, "--all-ranks", "3")
    assert printed["host"] == pytest.approx([step_ms] * 2, rel=0.02)
    assert printed["events"] == pytest.approx([step_ms] * 2, rel=0.02)


def test_what_torch_checks_before_collectives_takes_the_same_time(tmp_path: Path) -> None:
    """For eight ranks it is more than half of the step; the rest is CPU time, which varies."""
    checks_ms = 4 * 8 * 0.21  # collectives of a step, ranks, and what each of them adds
    printed, step_ms = _ranks(tmp_path / "run", 8, "1", TORCH_DISTRIBUTED_DEBUG="DETAIL")
    assert step_ms > checks_ms
    assert printed["host"] == pytest.approx([step_ms], rel=0.15)
    assert printed["events"] == pytest.approx([step_ms], rel=0.15)
