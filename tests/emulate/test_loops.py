"""Loops without an optimiser have steps, too: what repeats."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from maya.simulator.steps import find_windows
from maya.trace import collect
from maya.trace.format import Kind

SCRIPT = Path(__file__).parent / "workloads" / "loops.py"


def _products_per_step(run_dir: Path, *options: str) -> set[int]:
    """Matrix products and attentions in each step that was found."""
    words = [sys.executable, "-m", "maya", "emulate", "--steps", "2", "-o", str(run_dir), *options]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    [capture] = collect(run_dir).captures
    [window] = find_windows([capture])
    assert window.found
    products = [d.id for d in capture.definitions() if d.kind == Kind.LIBRARY]
    found = np.flatnonzero(np.isin(capture.events["def"], products))
    return set(np.diff(np.searchsorted(found, window.boundaries)).tolist())


@pytest.mark.parametrize(
    ("kind", "times", "products"),
    [
        ("inference", 40, 4 * 4 + 2),  # layers of four products, and the two around them
        ("product", 2000, 1),
        ("generation", 40, 2 * 4 + 1),  # a token
    ],
)
def test_a_loop_that_ends_shows_its_step(
    kind: str, times: int, products: int, tmp_path: Path
) -> None:
    command = [sys.executable, str(SCRIPT), kind, str(times)]
    assert _products_per_step(tmp_path / "run", "--", *command) == {products}


def test_an_endless_inference_is_ended_soon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAYA_PLAIN_SECONDS", "9")  # of which a sure loop needs a third
    command = [sys.executable, str(SCRIPT), "inference", "0"]
    options = ["--max-seconds", "60", "--", *command]
    assert _products_per_step(tmp_path / "run", *options) == {4 * 4 + 2}


def test_the_ranges_that_the_user_names_are_the_steps(tmp_path: Path) -> None:
    """No two in a row are alike: one, two or three products."""
    command = [sys.executable, str(SCRIPT), "marked", "40"]
    options = ["--step-marker", "batch", "--", *command]
    assert _products_per_step(tmp_path / "run", *options) == {1, 2, 3}
