"""Maya: what would the GPU do? Run the program without one and find out."""

from maya.api import Report, run, search, simulate
from maya.emulator import EmulationOptions, EmulationResult, emulate
from maya.errors import MayaError
from maya.version import maya_version

__version__ = maya_version()

__all__ = [
    "EmulationOptions",
    "EmulationResult",
    "MayaError",
    "Report",
    "__version__",
    "emulate",
    "run",
    "search",
    "simulate",
]
