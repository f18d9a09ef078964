"""Running a command under the emulated CUDA libraries."""

from maya.emulate.run import EmulationOptions, EmulationResult, emulate

__all__ = ["EmulationOptions", "EmulationResult", "emulate"]
