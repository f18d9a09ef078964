"""Ends a trial whose step must take longer than anybody would want.

When it is looked at depends on the machine; whether the limit is passed does not, because a run
that came to its end is looked at once more. So a search that is repeated finds the same.
"""

import time
from pathlib import Path

from maya.search.bound import StepBound

_FIRST_LOOK_S = 1.0
_SHARE = 0.1  # of the trial's time that looking may take


class Watch:
    """Called again and again while a run goes on; looks only now and then."""

    def __init__(self, bound: StepBound, limit_ms: float) -> None:
        self._bound = bound
        self._limit_ms = limit_ms
        self._next_s = time.monotonic() + _FIRST_LOOK_S
        self._hopeless = False

    def look(self, directory: Path) -> bool:
        """Whether the limit is passed for sure, by what there is."""
        if not self._hopeless:
            self._hopeless = self._bound.at_least_ns(directory) > self._limit_ms * 1e6
        return self._hopeless

    def __call__(self, directory: Path) -> bool:
        """Whether the run may end here."""
        started = time.monotonic()
        if not self._hopeless and started >= self._next_s:
            self.look(directory)
            took = time.monotonic() - started
            self._next_s = started + max(_FIRST_LOOK_S, took / _SHARE)
        return self._hopeless
