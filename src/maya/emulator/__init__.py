"""Running a command under the emulated CUDA libraries."""

from maya.emulator.execute import EmulationResult
from maya.emulator.run import EmulationOptions, emulate
from maya.emulator.target import check_script

__all__ = ["EmulationOptions", "EmulationResult", "check_script", "emulate"]
