"""Starts the processes of a run, waits for them and says how they ended."""

import contextlib
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import cast

from maya.emulator.host_memory import memory_kills
from maya.emulator.process import ProcessTree, Stop, Waited, close_all, wait_for
from maya.errors import ExitCode
from maya.rundir import RunDirectory, names
from maya.rundir.facts import Ending

STOP_GRACE_S = 20.0  # for the emulator inside the process to end it
LATE_S = 2.0  # beyond --max-seconds
# Launchers end the other ranks when one has failed; where nobody does, they would go on for ever.
UNATTENDED_S = 15.0
_STOP_REASONS = ("steps", "max-seconds", "cpu-only")


@dataclass(frozen=True, slots=True)
class Command:
    """One process to start; `rank` is None for a program that starts its ranks itself."""

    argv: tuple[str, ...]
    env: dict[str, str]
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class EmulationResult:
    """How a run ended and what it left."""

    run_dir: Path
    captures: tuple[Path, ...]
    exit_code: int
    ended_by: Ending
    wall_seconds: float
    failed_rank: int | None = None
    failure: str | None = None  # why the ranks cannot go on together
    starved: bool = False  # a process was ended because this machine had no memory left
    killed_child: str | None = None  # a process that the program started, and somebody killed
    signal: int | None = None  # that maya was sent meanwhile
    plain_start: str | None = None  # why ranks could not be forks of one process

    @property
    def status(self) -> int:
        """The exit code of `maya` for this run."""
        if self.signal is not None:
            return 128 + self.signal
        if self.ended_by == "strict":
            return ExitCode.UNSUPPORTED
        if self.ended_by == "failure":  # even if its processes had enough steps and ended well
            return ExitCode.SCRIPT_FAILED
        if self.ended_by == "cpu-only":
            return ExitCode.ERROR
        if self.ended_by in ("steps", "max-seconds") or self.exit_code == 0:
            return ExitCode.OK
        return ExitCode.SCRIPT_FAILED


def _pointless(run_dir: RunDirectory, enough: Callable[[], bool] | None) -> Stop | None:
    """Why nothing more can be learnt from the run."""
    if run_dir.has(names.FAILURE):
        return Stop("failure", announced=False, at_once=True)
    if run_dir.has(names.ERROR):  # no longer recorded
        return Stop("script", announced=False, at_once=True)
    if enough is not None and enough():
        return Stop("enough", announced=False, at_once=True)
    if any(failed.seconds_ago > UNATTENDED_S for failed in run_dir.failed_ranks()):
        return Stop("script", announced=False)
    return None


def _why_stop(
    run_dir: RunDirectory, deadline: float, enough: Callable[[], bool] | None
) -> Stop | None:
    """Asked again and again while the commands run."""
    if (written := run_dir.text(names.STOP)) is not None:
        word = written.partition(" ")[0]
        return Stop(word if word in _STOP_REASONS else "steps", announced=True)
    if (pointless := _pointless(run_dir, enough)) is not None:
        return pointless
    if time.monotonic() <= deadline:
        return None
    # From here on ranks fail because they are told to end.
    with contextlib.suppress(OSError):  # a full disk must not keep us from ending them
        run_dir.file(names.STOP).write_text("max-seconds\n", encoding="utf-8")
    return Stop("max-seconds", announced=False)


def execute(
    commands: Sequence[Command],
    run_dir: RunDirectory,
    max_seconds: float,
    enough: Callable[[], bool] | None = None,
) -> EmulationResult:
    """Run the commands at the same time; none of their processes is left afterwards.

    `enough`: all that this run was for is known, so it is cut off.
    """
    started, kills = time.monotonic(), memory_kills()
    stop = partial(_why_stop, run_dir, started + max_seconds + LATE_S, enough)
    trees: list[ProcessTree] = []
    waited = Waited()
    try:
        mark = f"MAYA_RUN_DIR={run_dir.path}"
        for command in commands:  # one by one: what was started must be ended if the next fails
            trees += [ProcessTree(command.argv, command.env, mark)]
        waited = wait_for(trees, stop, grace_s=STOP_GRACE_S)
    finally:
        close_all(trees)
    reason = waited.reason
    if reason is None:
        stopped = stop()
        reason = stopped.reason if stopped and stopped.announced else "script"
    index = waited.failed or 0
    rank = commands[index].rank if waited.failed is not None else None
    code, seconds = trees[index].process.returncode, time.monotonic() - started
    killed = waited.failed is not None and code == -signal.SIGKILL
    result = _result(run_dir, cast(Ending, reason), code, rank, seconds, killed=killed)
    starved = result.exit_code != 0 and memory_kills() > kills
    child = run_dir.text(names.KILLED_CHILD) if result.exit_code != 0 else None
    return replace(result, starved=starved, killed_child=child, signal=waited.signal)


def _result(
    run_dir: RunDirectory,
    reason: Ending,
    code: int,
    rank: int | None,
    seconds: float,
    *,
    killed: bool,
) -> EmulationResult:
    """What the processes left behind may tell better than they did, but for one that was killed."""
    failed = [] if killed else run_dir.failed_ranks()
    if failed and reason in ("script", "enough", *_STOP_REASONS):
        # Its peers may have had enough steps in the same moment: that does not make it a good end.
        reason, rank, code = "script", failed[0].rank, failed[0].exit_code
    if run_dir.has(names.STRICT):
        reason = "strict"
    if run_dir.has(names.FAILURE):
        reason = "failure"
    failure = run_dir.text(names.FAILURE)
    captures = tuple(run_dir.capture_files())
    return EmulationResult(run_dir.path, captures, code, reason, seconds, rank, failure)
