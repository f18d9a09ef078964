"""The launchers of jobs: their command lines are read, and their ranks started by us."""

from maya.emulator.launchers.launch import Launch, Node
from maya.emulator.launchers.read import all_commands, is_python, read_launch

__all__ = ["Launch", "Node", "all_commands", "is_python", "read_launch"]
