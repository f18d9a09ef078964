"""How PyTorch lays out the structs that its kernels take by value (`make gen`)."""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Field:
    """Where a field stands; of an array, how wide its elements are and how many it has."""

    at: int
    element_bytes: int
    count: int


@dataclass(frozen=True, slots=True)
class StructVersions:
    """One struct, in every version that is read."""

    bytes: int
    fields: dict[str, Field]

    def at(self, field: str) -> int:
        """Where a field stands."""
        return self.fields[field].at


@cache
def layout(type_name: str) -> StructVersions:
    """By its C++ type, as codegen/layouts.yaml spells it."""
    fields = dict(_table()[type_name])
    size = fields.pop("bytes")
    return StructVersions(size, {name: Field(*values) for name, values in fields.items()})


@cache
def _table() -> dict[str, dict[str, Any]]:
    text = files("maya.families").joinpath("torch_layouts.json").read_text()
    table: dict[str, dict[str, Any]] = json.loads(text)
    return table
