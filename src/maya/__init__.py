"""Maya: what would the GPU do? Run the program without one and find out."""

from maya.emulate import EmulationOptions, EmulationResult, emulate
from maya.errors import MayaError

__all__ = ["EmulationOptions", "EmulationResult", "MayaError", "emulate"]
