"""Finds the best training recipe: every trial is an emulation and a simulation."""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from maya.search.engine import Search, search
from maya.search.file import SearchFile, read_search_file

__all__ = ["Search", "SearchFile", "read_search_file", "search"]


class _Callable(ModuleType):
    # `maya.search` is this package and, for users, a function, as `maya.simulate` is.
    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return import_module("maya.api").search(*arguments, **options)


sys.modules[__name__].__class__ = _Callable
