"""A run that came to no step: told first, nothing made up, a code of its own."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from run_facts import write_facts
from training_capture import Script

import maya
from maya.cli import main
from maya.errors import ExitCode
from maya.recipe_search.trials.jobs import TrialJob
from maya.recipe_search.trials.trial import run_trial


@pytest.fixture
def start_up(tmp_path: Path) -> Path:
    """A run that was ended while it started up."""
    return recorded(tmp_path / "run")


def recorded(directory: Path, **facts: Any) -> Path:
    directory.mkdir(parents=True)
    script = Script()
    script.call(script.define("alloc", 5, what="device", device=0), a=0x1000, b=3 << 30)
    script.call(script.gemm, stream=1, cpu_ns=31_000_000)
    script.save(directory)
    ended: dict[str, Any] = {"ended_by": "max-seconds", "max_seconds": 240.0, "exit_code": -15}
    write_facts(directory, **(ended | facts))
    return directory


def command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str
) -> tuple[int, str]:
    monkeypatch.setattr(sys, "argv", ["maya", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    return int(ended.value.code or 0), said.out + said.err


def test_it_is_said_first_and_no_figure_is_made_up(
    start_up: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = command(monkeypatch, capsys, "simulate", str(start_up), "--cluster", "h100:1")
    shown = command(monkeypatch, capsys, "report", str(start_up))
    assert told[0] == ExitCode.NO_STEP
    assert shown[0] == ExitCode.OK
    for _, text in (told, shown):
        assert text.startswith("There is no step to predict: ")
        assert "--max-seconds (240)" in text
        assert "--steps 1" in text
        assert "3.0 of 79.2 GiB" in text  # of memory
        assert not any(word in text for word in ("MFU", "a step (", "ms", "bound"))


def test_summary_says_why_and_has_no_step(start_up: Path) -> None:
    report = maya.simulate(start_up, cluster="h100:1")
    assert report.step_ms is None
    assert report.prediction is None
    assert report.kernels.is_empty()
    kept = json.loads((start_up / "summary.json").read_text("utf-8"))
    assert "no updates of an optimiser followed by GPU work" in kept["no_step"]
    for figure in ("step", "mfu", "device", "critical_path"):
        assert kept[figure] is None
    assert kept["cost"]["usd_per_step"] is None
    assert kept["memory"]["peak_reserved_bytes"] == 3 << 30


def test_a_check_is_missed_whatever_it_asks_for(
    start_up: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    maya.simulate(start_up, cluster="h100:1")
    for limits in ((), ("--max-step-ms", "100000")):
        code, text = command(monkeypatch, capsys, "check", str(start_up), *limits)
        assert code == ExitCode.CHECK_FAILED
        assert "MISSED" in next(line for line in text.splitlines() if "steps found" in line)


def test_a_script_that_ended_before_is_told_so(tmp_path: Path) -> None:
    run = recorded(tmp_path / "run", ended_by="script", exit_code=0)
    reason = maya.simulate(run, cluster="h100:1").summary.no_step
    assert reason is not None
    assert reason.startswith("the program ended before it had repeated one")


def test_a_trial_of_a_search_without_a_step_has_failed(tmp_path: Path) -> None:
    recorded(tmp_path / "runs" / "known")
    job = TrialJob(
        number=0,
        command=("true",),
        env={},
        directory=str(tmp_path),
        cluster="h100:1",
        capture_key="known",
        store=str(tmp_path),
        steps=1,
        max_seconds=1.0,
        host_scale=1.0,
        tokens_per_step=None,
        keep_captures=True,
        warm=False,
    )
    outcome = run_trial(job)
    assert outcome.status == "failed"
    assert outcome.message.startswith("no step: none was found before --max-seconds")
    assert not outcome.metrics
