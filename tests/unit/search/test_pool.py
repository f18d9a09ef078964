"""A worker, a server or a program that is killed is no verdict on the recipe."""

import os
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from maya.emulator import EmulationResult
from maya.errors import MayaError
from maya.hardware import find_cluster
from maya.prediction import RecordingFailedError
from maya.recipe_search.trials import ray_pool, trial
from maya.recipe_search.trials.jobs import TrialJob, TrialOutcome
from maya.recipe_search.trials.pool import LocalPool
from maya.recipe_search.trials.trial import run_trial


def job_in(store: Path) -> TrialJob:
    words, place = ("no-such-program",), str(store)
    return TrialJob(7, words, {}, place, "t4:1", "k", place, 1, 5.0, 1.0, None, False, False)


def kill_worker(pool: LocalPool) -> None:
    os.kill(pool._workers[-1].process.pid, signal.SIGKILL)


def test_the_trial_of_a_killed_worker_is_run_again(tmp_path: Path) -> None:
    pool = LocalPool(1)
    try:
        pool.submit(job_in(tmp_path))
        kill_worker(pool)
        number, outcome = pool.next()
    finally:
        pool.close()
    assert number == 7
    assert "no-such-program" in outcome.message  # the command's own fault, found by the second


def test_a_trial_that_loses_every_worker_ends_the_search_without_a_verdict(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pool = LocalPool(1)
    submit = pool.submit

    def submit_and_kill(job: TrialJob) -> None:
        submit(job)
        kill_worker(pool)

    monkeypatch.setattr(pool, "submit", submit_and_kill)
    try:
        pool.submit(job_in(tmp_path))
        with pytest.raises(MayaError, match="lost 3 workers"):
            pool.next()
    finally:
        pool.close()


def test_a_disk_that_cannot_be_written_is_the_trials_error() -> None:
    outcome = run_trial(job_in(Path("/proc/no-such-place")))
    assert outcome.status == "failed"
    assert outcome.message.startswith("the trial could not be run: ")
    assert "/proc/no-such-place" in outcome.message


@pytest.mark.parametrize(("kills", "attempts"), [(0, 1), (2, 3), (9, 3)])
def test_a_killed_program_is_run_again_before_the_recipe_is_blamed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kills: int, attempts: int
) -> None:
    codes: list[int] = []

    def run(_job: TrialJob, _cluster: Any, places: Any, _watch: Any) -> RecordingFailedError:
        codes.append(-9 if len(codes) < kills else 1)
        attempt = next(places)
        attempt.mkdir()
        (attempt / "output.txt").write_text("its own fault")
        return RecordingFailedError(EmulationResult(attempt, (), codes[-1], "script", 0.1))

    monkeypatch.setattr(trial, "_attempt_warm", run)
    outcome = trial._emulate(job_in(tmp_path), find_cluster("t4:1"), tmp_path / "k")
    assert outcome is not None
    assert len(codes) == attempts
    assert ("was killed 3 times" if kills > attempts else "its own fault") in outcome.message


class LostActorError(Exception):
    pass


class FakeRay:
    """As much of Ray as the pool uses; the first actors are lost."""

    def __init__(self, lost: int) -> None:
        self.lost, self.started = lost, 0
        self.exceptions = SimpleNamespace(RayTaskError=ZeroDivisionError, RayError=LostActorError)

    def is_initialized(self) -> bool:
        return True

    def remote(self, _kind: type) -> Any:
        def start() -> Any:
            self.started += 1
            return SimpleNamespace(run=SimpleNamespace(remote=lambda _job: self.started))

        return SimpleNamespace(remote=start)

    def wait(self, futures: list[int], num_returns: int) -> tuple[list[int], list[int]]:
        return futures[:num_returns], []

    def get(self, future: int) -> str:
        if future <= self.lost:
            raise LostActorError("killed")
        return TrialOutcome("ok").to_json()


def test_the_trial_of_a_lost_ray_worker_is_run_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ray = FakeRay(lost=2)
    monkeypatch.setattr(ray_pool, "_ray", lambda: ray)
    monkeypatch.setattr(ray_pool, "_head", lambda: None)
    pool = ray_pool.RayPool(1)
    pool.submit(job_in(tmp_path))
    assert pool.next() == (7, TrialOutcome("ok"))
    ray.lost = 9
    pool.submit(job_in(tmp_path))
    with pytest.raises(MayaError, match="lost 3 workers; the last: killed"):
        pool.next()
