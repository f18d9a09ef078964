"""Finds the best training recipe: every trial is an emulation and a simulation."""

from maya.recipe_search.engine import Search, search
from maya.recipe_search.space.file import SearchFile, read_search_file

__all__ = ["Search", "SearchFile", "read_search_file", "search"]
