"""Finds the best training recipe: every trial is an emulation and a simulation."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maya.recipe_search.engine import Search, search
    from maya.recipe_search.space.file import SearchFile, read_search_file

__all__ = ["Search", "SearchFile", "read_search_file", "search"]


def __getattr__(name: str) -> Any:
    """Optuna, which an installation may do without, is not loaded before a search is asked for."""
    if name not in __all__:
        raise AttributeError(f"module 'maya.recipe_search' has no attribute {name!r}")
    place = "space.file" if name in ("SearchFile", "read_search_file") else "engine"
    return getattr(import_module(f"maya.recipe_search.{place}"), name)
