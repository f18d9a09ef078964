"""A rank that somebody killed is told from those that fail because of it."""

import os
from pathlib import Path

import pytest

from maya.emulator.execute import Command, execute
from maya.rundir import RunDirectory

KILLED = "touch killed; kill -9 $$"
# Its guard waits for this child: the end of the other rank is known first.
KILLED_SLOWLY = f"(trap '' TERM; sleep 9) & {KILLED}"
FAILS = (
    "until [ -e killed ]; do sleep 0.05; done; echo 1 9000000000000000000 > failed-rank0; exit 1"
)


@pytest.mark.parametrize("kill", [KILLED, KILLED_SLOWLY])
def test_a_killed_rank_is_to_blame_though_another_tells_of_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kill: str
) -> None:
    monkeypatch.chdir(tmp_path)
    commands = [
        Command(("sh", "-c", words), dict(os.environ), rank)
        for rank, words in enumerate((FAILS, kill))
    ]
    result = execute(commands, RunDirectory(tmp_path), 60.0)
    assert (result.ended_by, result.exit_code, result.failed_rank) == ("script", -9, 1)


def test_a_rank_that_fails_is_to_blame_though_another_is_ended_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    commands = [
        Command(("sh", "-c", words), dict(os.environ), rank)
        for rank, words in enumerate(("sleep 60", "exit 3"))
    ]
    result = execute(commands, RunDirectory(tmp_path), 60.0)
    assert (result.ended_by, result.exit_code, result.failed_rank) == ("script", 3, 1)
