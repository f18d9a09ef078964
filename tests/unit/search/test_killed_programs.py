"""What a program recorded that was killed never meets what the next start of it records."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from capture_writer import small_capture

from maya.emulator import EmulationResult
from maya.emulator.warm import SERVER_LOST
from maya.hardware import find_cluster
from maya.prediction import RecordingFailedError
from maya.recipe_search.trials import trial
from maya.recipe_search.trials.jobs import TrialJob, TrialOutcome
from maya.rundir.facts import Ending

WARM = {"MAYA_WARM": "a directory"}
Start = tuple[Path, dict[str, str]]  # where a program recorded, and what it was given


class Programs:
    """Stands for the emulator: every start ends with the next exit code."""

    def __init__(self, codes: tuple[int, ...], **ending: Any) -> None:
        self.codes: Iterator[int] = iter(codes)
        self.ending = ending
        self.starts: list[Start] = []

    def __call__(
        self, _job: TrialJob, _cluster: Any, place: Path, env: dict[str, str], *_: Any
    ) -> RecordingFailedError:
        self.starts.append((place, env))
        place.mkdir()
        (place / "output.txt").write_text("its own fault")
        result = EmulationResult(place, (), next(self.codes), "script", 0.1, **self.ending)
        return RecordingFailedError(result)


@pytest.fixture(name="closed")
def servers_closed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """How often the warm server was given up."""
    closed: list[str] = []
    monkeypatch.setattr(trial, "warm_environment", lambda _job, _cluster: WARM)
    monkeypatch.setattr(trial, "close", lambda: closed.append("closed"))
    return closed


def emulated(
    programs: Programs, store: Path, monkeypatch: pytest.MonkeyPatch
) -> TrialOutcome | None:
    words, place = ("train.py",), str(store)
    job = TrialJob(7, words, {}, place, "t4:1", "k", place, 1, 5.0, 1.0, None, True, False)
    monkeypatch.setattr(trial, "_attempt", programs)
    (store / "runs").mkdir()
    return trial._emulate(job, find_cluster("t4:1"), store / "runs" / "k")


@pytest.mark.parametrize("code", [-9, 137, SERVER_LOST])
def test_a_program_that_was_killed_before_it_recorded_starts_again_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, closed: list[str], code: int
) -> None:
    programs = Programs((code, 1, 1))
    outcome = emulated(programs, tmp_path, monkeypatch)
    assert outcome is not None
    assert "its own fault" in outcome.message
    places, given = zip(*programs.starts, strict=True)
    assert given == (WARM, WARM, {})  # a kill does not tell against the server
    assert len(set(places)) == 3  # and what it leaves may still record
    assert len(closed) == (code == SERVER_LOST)


@pytest.mark.parametrize(
    ("ended_by", "whole", "killed"),
    [("steps", False, True), ("steps", True, False), ("enough", False, False)],
)
def test_a_program_that_was_killed_while_it_closed_its_capture_starts_again(
    tmp_path: Path, ended_by: Ending, *, whole: bool, killed: bool
) -> None:
    capture = small_capture(end=whole).write(tmp_path / "1.maya")
    result = EmulationResult(tmp_path, (capture,), -9, ended_by, 0.1)
    assert trial._killed(result) == killed


@pytest.mark.parametrize(
    ("ending", "said"),
    [
        ({"starved": True}, "this machine ran out of memory in 3 attempts"),
        ({"killed_child": "77"}, "a process that it started, was killed 3 times"),
    ],
)
def test_a_program_that_fails_for_a_killed_process_of_its_own_is_run_again(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    closed: list[str],
    ending: dict[str, Any],
    said: str,
) -> None:
    programs = Programs((1, 1, 1), **ending)
    outcome = emulated(programs, tmp_path, monkeypatch)
    assert outcome is not None
    assert said in outcome.message
    assert (len(programs.starts), closed) == (3, [])
