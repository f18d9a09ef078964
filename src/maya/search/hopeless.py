"""Ends a trial whose step must take longer than anybody would want."""

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
        self.at_least_ms = 0.0

    @property
    def hopeless(self) -> bool:
        """Whether the limit is passed for sure."""
        return self.at_least_ms > self._limit_ms

    def __call__(self, directory: Path) -> bool:
        """Whether the run may end here."""
        started = time.monotonic()
        if not self.hopeless and started >= self._next_s:
            self.at_least_ms = self._bound.at_least_ns(directory) / 1e6
            took = time.monotonic() - started
            self._next_s = started + max(_FIRST_LOOK_S, took / _SHARE)
        return self.hopeless
