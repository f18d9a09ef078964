"""Kernels of others that Maya knows by name: one table, `families.yaml`."""

from maya.families.family_table import Family, family_of, find_family, table
from maya.families.layouts import StructVersions, layout
from maya.families.name import demangle, function_name

__all__ = [
    "Family",
    "StructVersions",
    "demangle",
    "family_of",
    "find_family",
    "function_name",
    "layout",
    "table",
]
