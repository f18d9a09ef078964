"""A step is a whole step: not a micro-batch, not a layer."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import maya
from maya.simulator.steps import find_windows
from maya.trace import collect
from maya.trace.format import Kind
from maya.trace.names import demangle

SCRIPTS = Path(__file__).parent / "workloads"


def _kernels_per_step(run_dir: Path, name: str, *, steady: bool = True) -> list[int]:
    """In the steps of the last rank."""
    captures = collect(run_dir).captures
    window, capture = find_windows(captures)[-1], captures[-1]
    assert window.found
    assert window.steady is steady
    wanted = [
        definition.id
        for definition in capture.definitions()
        if definition.kind == Kind.KERNEL and name in demangle(definition.text("kernel"))
    ]
    found = np.flatnonzero(np.isin(capture.events["def"], wanted))
    return np.diff(np.searchsorted(found, window.boundaries)).tolist()


@pytest.mark.parametrize(
    ("kind", "seconds", "kernel", "times"),
    [
        ("own", 2, "nll_loss_forward", 32),
        ("gathered", 2, "nll_loss_forward", 32),
        ("inference", 3, "layer_norm", 36),
        ("by turns", 30, "nll_loss_forward", 1),
        ("one by one", 30, "nll_loss_forward", 1),
        ("logged", 30, "nll_loss_forward", 1),
        ("warm-up", 30, "nll_loss_forward", 1),
        ("group by group", 30, "nll_loss_forward", 1),
    ],
)
def test_what_repeats_within_a_step_is_not_taken_for_it(
    kind: str,
    seconds: int,
    kernel: str,
    times: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MAYA_PLAIN_SECONDS", str(seconds))  # less than 32 micro-batches take
    _emulate(tmp_path, sys.executable, str(SCRIPTS / "repeating.py"), kind)
    counts = _kernels_per_step(tmp_path, kernel)
    assert len(counts) >= 2
    assert set(counts) == {times}


@pytest.mark.parametrize(
    ("kind", "kernel", "times"),
    [("evaluated", "nll_loss_forward", [1, 1, 5]), ("decomposed", "sin_kernel", [0, 0, 0, 0, 1])],
)
def test_steps_of_which_some_do_more_are_measured_over_a_whole_period(
    kind: str, kernel: str, times: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MAYA_WATCH_STEPS")
    _emulate(tmp_path, sys.executable, str(SCRIPTS / "repeating.py"), kind)
    assert sorted(_kernels_per_step(tmp_path, kernel)) == times
    summary = maya.simulate(tmp_path, cluster="h100:1").summary
    assert summary.step is not None
    step, period = summary.step, summary.step.period
    assert period is not None
    assert period.steps == len(times)
    assert period.extra_ms > 0
    mean = period.plain_ms + period.extra_ms / period.steps
    assert step.time_ms == pytest.approx(mean)


@pytest.mark.parametrize(("kind", "steps"), [("many sizes", 16), ("many sizes, evaluated", 2)])
def test_steps_that_never_repeat_come_to_an_end(kind: str, steps: int, tmp_path: Path) -> None:
    _emulate(tmp_path, sys.executable, str(SCRIPTS / "repeating.py"), kind)
    assert _kernels_per_step(tmp_path, "nll_loss_forward", steady=False) == [1] * steps


def test_a_pipeline_steps_after_all_of_its_micro_batches(tmp_path: Path) -> None:
    script = [str(SCRIPTS / "parallel_pipeline.py"), "--layers", "1", "--micro-batches", "24"]
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    _emulate(tmp_path, sys.executable, *launcher, *script)
    counts = _kernels_per_step(tmp_path, "nll_loss")
    assert len(counts) >= 2
    assert set(counts) == {2 * 24}  # forward and backward


def _emulate(run_dir: Path, *program: str) -> None:
    options = ["--steps", "2", "--max-seconds", "100", "--force", "-o", str(run_dir)]
    words = [sys.executable, "-m", "maya", "emulate", *options, "--", *program]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "enough steps recorded" in done.stderr
