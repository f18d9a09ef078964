"""Maya: what would the GPU do? Run the program without one and find out."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from maya.api import Report, run, search, simulate
from maya.emulator import EmulationOptions, EmulationResult, emulate
from maya.errors import MayaError
from maya.version import maya_version

if TYPE_CHECKING:
    from maya.estimate.operators import OperatorEstimate, estimate

__version__ = maya_version()

__all__ = [
    "EmulationOptions",
    "EmulationResult",
    "MayaError",
    "OperatorEstimate",
    "Report",
    "__version__",
    "emulate",
    "estimate",
    "run",
    "search",
    "simulate",
]


def __getattr__(name: str) -> Any:
    """Estimators are not loaded before they are asked."""
    if name not in ("OperatorEstimate", "estimate"):
        raise AttributeError(f"module 'maya' has no attribute {name!r}")
    package = import_module("maya.estimate")
    return package if name == "estimate" else package.OperatorEstimate
