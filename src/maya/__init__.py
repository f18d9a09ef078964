"""Maya: what would the GPU do? Run the program without one and find out."""

from importlib import import_module
from typing import Any

from maya.api import Report, run
from maya.emulate import EmulationOptions, EmulationResult, emulate
from maya.errors import MayaError

__all__ = ["EmulationOptions", "EmulationResult", "MayaError", "Report", "emulate", "run"]


def __getattr__(name: str) -> Any:
    if name in ("simulate", "search"):  # packages that can be called; loaded when asked for
        return import_module(f"maya.{name}")
    raise AttributeError(f"module 'maya' has no attribute {name!r}")
