"""Replays captures in virtual time."""

from maya.simulator.builder import Builder
from maya.simulator.engine import DeadlockError, run
from maya.simulator.program import Program, Settings, Timeline

__all__ = ["Builder", "DeadlockError", "Program", "Settings", "Timeline", "run"]
