"""Predictions held against limits."""

import sys
from pathlib import Path

import pytest
from training_capture import training

import maya
from maya.cli import main
from maya.errors import ExitCode


def check(monkeypatch: pytest.MonkeyPatch, run: Path, *limits: str) -> int:
    monkeypatch.setattr(sys, "argv", ["maya", "check", str(run), *limits])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def test_limits_that_are_kept_and_missed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    training(tmp_path)
    step_ms = maya.simulate(tmp_path, cluster="h100:1").step_ms
    assert step_ms is not None
    kept = ("--max-step-ms", str(2 * step_ms), "--max-memory-gb", "1", "--min-headroom-gb", "10")
    assert check(monkeypatch, tmp_path, *kept) == ExitCode.OK
    assert check(monkeypatch, tmp_path) == ExitCode.OK
    missed = ("--max-step-ms", str(step_ms / 2))
    assert check(monkeypatch, tmp_path, *kept[2:], *missed) == ExitCode.CHECK_FAILED


def test_figure_that_is_not_known_keeps_no_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    training(tmp_path)
    maya.simulate(tmp_path, cluster="h100:1")
    assert check(monkeypatch, tmp_path, "--min-tokens-per-s", "1") == ExitCode.CHECK_FAILED


def test_run_without_a_prediction_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    training(tmp_path)
    assert check(monkeypatch, tmp_path, "--max-step-ms", "1") == ExitCode.ERROR
