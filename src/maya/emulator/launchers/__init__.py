"""The launchers of jobs: their command lines are read, and their ranks started by us."""

from maya.emulator.launchers.launch import Launch, LaunchNode
from maya.emulator.launchers.read import all_commands, is_python, read_launch

__all__ = ["Launch", "LaunchNode", "all_commands", "is_python", "read_launch"]
