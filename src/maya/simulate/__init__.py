"""Replays captures in virtual time."""

from maya.simulate.builder import Builder
from maya.simulate.engine import DeadlockError, run
from maya.simulate.program import Program, Settings, Timeline

__all__ = ["Builder", "DeadlockError", "Program", "Settings", "Timeline", "run"]
