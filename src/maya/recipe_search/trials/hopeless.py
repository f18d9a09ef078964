"""Ends a trial whose step must take longer than anybody would want, or that ran out of memory.

When it is looked at depends on the machine; whether the limit is passed does not, because a run
that came to its end is looked at once more. So a search that is repeated finds the same.
"""

import time
from pathlib import Path

from maya.analyze.memory import ended_out_of_memory
from maya.recipe_search.trials.bound import Least, StepBound
from maya.rundir import RunDirectory, names
from maya.trace import read_capture

_FIRST_LOOK_S = 1.0
_SHARE = 0.1  # of the trial's time that looking may take
_LONGEST_ALONE_S = 60.0


def out_of_memory(directory: Path) -> bool:
    """Whether a rank has failed because an allocation did: the job cannot go on without it."""
    run_dir = RunDirectory(directory)
    failed = {rank.rank for rank in run_dir.failed_ranks()}
    return any(
        ended_out_of_memory(read_capture(path))
        for path in (run_dir.capture_files() if failed else [])
        if names.rank_and_name(path.name)[0] in failed
    )


class Watch:
    """Called again and again while a run goes on; looks only now and then."""

    def __init__(self, bound: StepBound, limit_ms: float) -> None:
        self._bound = bound
        self._limit_ms = limit_ms
        self._started_s = time.monotonic()
        self._next_s = self._started_s + _FIRST_LOOK_S
        self._found = Least()

    def look(self, directory: Path) -> bool:
        """Whether the limit is passed for sure, by what there is."""
        if not self._hopeless:
            self._found = self._bound.so_far(directory)
        return self._hopeless

    def __call__(self, directory: Path) -> bool:
        """Whether the run may end here."""
        started = time.monotonic()
        if not self._hopeless and started >= self._next_s:
            self.look(directory)
            took = time.monotonic() - started
            self._next_s = started + max(_FIRST_LOOK_S, took / _SHARE)
        return self._hopeless

    def seen_alone(self, directory: Path) -> bool:
        """Whether one rank without its partners has told what it can.

        Its own work is often enough to call a trial hopeless or to run out of memory, and costs a
        fraction of the job's.
        """
        self(directory)
        late = time.monotonic() - self._started_s > _LONGEST_ALONE_S  # it may wait for the others
        return self._found.steps > 0 or late

    @property
    def _hopeless(self) -> bool:
        return self._found.step_ns > self._limit_ms * 1e6
