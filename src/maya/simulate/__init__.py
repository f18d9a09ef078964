"""Replays captures in virtual time."""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from maya.simulate.builder import Builder
from maya.simulate.engine import DeadlockError, run
from maya.simulate.program import Program, Settings, Timeline

__all__ = ["Builder", "DeadlockError", "Program", "Settings", "Timeline", "run"]


class _Callable(ModuleType):
    # `maya.simulate` is this package and, for users, a function: importing the one would hide the
    # other, so the package can be called. Imported by name because api stands above this layer.
    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return import_module("maya.api").simulate(*arguments, **options)


sys.modules[__name__].__class__ = _Callable
