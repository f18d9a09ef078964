"""Kernels of others that Maya knows by name: one table, `families.yaml`."""

from maya.families.layouts import Layout, layout
from maya.families.name import demangle, function_name
from maya.families.table import Family, family_of, find_family, table

__all__ = [
    "Family",
    "Layout",
    "demangle",
    "family_of",
    "find_family",
    "function_name",
    "layout",
    "table",
]
