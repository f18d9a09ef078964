"""A step is a whole step: not a micro-batch, not a layer."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from maya.simulate.steps import find_windows
from maya.trace import collect
from maya.trace.format import Kind
from maya.trace.names import demangle

SCRIPT = Path(__file__).parent / "workloads" / "repeating.py"


def _kernels_per_step(run_dir: Path, name: str) -> list[int]:
    captures = collect(run_dir).captures
    (window,) = find_windows(captures)
    assert window.steady
    (capture,) = captures
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
    run_dir = tmp_path / "run"
    command = [sys.executable, "-m", "maya", "emulate", "--steps", "2", "--max-seconds", "100"]
    done = subprocess.run(
        [*command, "-o", str(run_dir), "--", sys.executable, str(SCRIPT), kind],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "stopped after enough steps" in done.stderr
    counts = _kernels_per_step(run_dir, kernel)
    assert len(counts) >= 2
    assert set(counts) == {times}
