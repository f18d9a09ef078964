"""Running a command under the emulated CUDA libraries."""

from maya.emulator.execute import EmulationResult
from maya.emulator.run import EmulationOptions, emulate

__all__ = ["EmulationOptions", "EmulationResult", "emulate"]
