"""A worker that dies is no verdict on the recipe."""

import os
import signal
from pathlib import Path

import pytest

from maya.errors import MayaError
from maya.search.jobs import Job
from maya.search.pool import LocalPool


def job_in(store: Path) -> Job:
    words, place = ("no-such-program",), str(store)
    return Job(7, words, {}, place, "t4:1", "k", place, 1, 5.0, 1.0, None, False, False)


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

    def submit_and_kill(job: Job) -> None:
        submit(job)
        kill_worker(pool)

    monkeypatch.setattr(pool, "submit", submit_and_kill)
    try:
        pool.submit(job_in(tmp_path))
        with pytest.raises(MayaError, match="lost 3 workers"):
            pool.next()
    finally:
        pool.close()
