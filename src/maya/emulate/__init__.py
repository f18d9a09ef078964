"""Running a command under the emulated CUDA libraries."""

from maya.emulate.execute import EmulationResult
from maya.emulate.run import EmulationOptions, emulate

__all__ = ["EmulationOptions", "EmulationResult", "emulate"]
