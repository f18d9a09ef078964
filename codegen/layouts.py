"""Layouts of the structs that PyTorch's kernels take by value, computed from its headers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import yaml
from clang.cindex import (  # type: ignore[import-untyped]
    CursorKind,
    Diagnostic,
    Index,
    TranslationUnit,
    Type,
    TypeKind,
)
from pydantic import field_validator

from codegen.config import Strict
from codegen.emit import banner
from codegen.fetch import fetch_headers
from codegen.parse import MAIN, STUBS, ParseError, compiler_includes

LAYOUTS_YAML = Path(__file__).with_name("layouts.yaml")
_ALIAS = "maya_layout_"
_PYTHON = "../../src/maya/families/torch_layouts.json"  # the estimators read the same structs


class Struct(Strict):
    types: list[str]
    fields: list[str]


class Layouts(Strict):
    torch: dict[str, str]
    headers: list[str]
    stubs: list[str]
    prelude: str
    written: str
    structs: dict[str, Struct]

    @field_validator("torch", mode="before")
    @classmethod
    def _versions_are_text(cls, value: dict[object, str]) -> dict[str, str]:
        return {str(version): packages for version, packages in value.items()}

    def types(self) -> list[str]:
        """Every type once, in the order of the file."""
        return list(dict.fromkeys(t for struct in self.structs.values() for t in struct.types))


@dataclass(frozen=True, slots=True)
class Field:
    """Where a field stands; of an array, how wide its elements are and how many it has in all."""

    at: int
    element_bytes: int
    count: int


@dataclass(frozen=True, slots=True)
class Record:
    """A struct as one or several versions lay it out."""

    type: str
    bytes: int
    fields: tuple[Field, ...]


Records = dict[str, dict[Record, list[str]]]  # by table


def load(path: Path = LAYOUTS_YAML) -> Layouts:
    return Layouts.model_validate(yaml.safe_load(path.read_text()))


def read_records(layouts: Layouts, packages: dict[str, dict[str, str]]) -> Records:
    """Every layout of every struct, with the versions that have it."""
    found: Records = {name: {} for name in layouts.structs}
    for version, package_set in layouts.torch.items():
        torch = fetch_headers({"torch": version})["torch"]
        cuda = fetch_headers(packages[package_set])
        types = read_types(layouts, [torch, *cuda.values()])
        for name, struct in layouts.structs.items():
            for spelling in struct.types:
                record = record_of(spelling, types[spelling], struct.fields)
                found[name].setdefault(record, []).append(version)
    return found


def read_types(layouts: Layouts, include_dirs: list[Path]) -> dict[str, Type]:
    """The instantiated types, by their spelling; raises where a header does not compile."""
    unit = Index.create().parse(
        MAIN,
        [
            "-xc++",
            "-std=c++20",
            f"-I{STUBS}",
            *(f"-I{directory}" for directory in include_dirs),
            *compiler_includes("c++"),
        ],
        unsaved_files=[(MAIN, _source(layouts)), *((f"{STUBS}/{s}", "") for s in layouts.stubs)],
        options=TranslationUnit.PARSE_SKIP_FUNCTION_BODIES,
    )
    errors = [str(d) for d in unit.diagnostics if d.severity >= Diagnostic.Error]
    if errors:
        raise ParseError("\n".join(errors[:10]))
    aliases = (c for c in unit.cursor.get_children() if c.kind == CursorKind.TYPE_ALIAS_DECL)
    ours = [alias for alias in aliases if alias.spelling.startswith(_ALIAS)]
    canonical = [alias.underlying_typedef_type.get_canonical() for alias in ours]
    return dict(zip(layouts.types(), canonical, strict=True))


def _source(layouts: Layouts) -> str:
    headers = (f"#include <{header}>" for header in layouts.headers)
    lines = [layouts.prelude, *headers, layouts.written]
    for index, spelling in enumerate(layouts.types()):
        alias = f"{_ALIAS}{index}"
        # An alias alone does not instantiate a template.
        lines.append(f"using {alias} = {spelling}; static_assert(sizeof({alias}) > 0);")
    return "\n".join(lines)


def record_of(spelling: str, type_: Type, paths: list[str]) -> Record:
    """Size and fields of a type."""
    return Record(spelling, type_.get_size(), tuple(_field(type_, path) for path in paths))


def _field(type_: Type, path: str) -> Field:
    at = 0
    for name in path.split("."):
        member = next((f for f in type_.get_fields() if f.spelling == name), None)
        if member is None:
            raise ParseError(f"{type_.spelling} has no field {path}")
        at += member.get_field_offsetof() // 8
        type_ = member.type.get_canonical()
    count = 1
    while type_.kind == TypeKind.CONSTANTARRAY:
        count *= type_.element_count
        type_ = type_.element_type.get_canonical()
    return Field(at, type_.get_size(), count)


def header(layouts: Layouts, found: Records) -> str:
    """The text of native/gen/torch/layouts.h."""
    sources = ["codegen/layouts.yaml", *(f"torch=={version}" for version in layouts.torch)]
    parts = [banner(sources), _OPENING]
    for name, records in found.items():
        fields = ", ".join(_identifier(path) for path in layouts.structs[name].fields)
        parts.append(f"\nstruct {name}Layout {{\n  const char* type;\n  uint32_t bytes;\n")
        parts.append(f"  Field {fields};\n}};\n\n")
        parts.append(f"inline constexpr {name}Layout k{name}Layouts[] = {{\n")
        parts += [_row(record, versions) for record, versions in records.items()]
        parts.append("};\n")
    return "".join([*parts, "\n}  // namespace maya::layouts\n"])


def _identifier(path: str) -> str:
    return path.replace(".", "_").rstrip("_")


def _row(record: Record, versions: list[str]) -> str:
    cells = ", ".join(f"{{{f.at}, {f.element_bytes}, {f.count}}}" for f in record.fields)
    line = f'    {{"{record.type}", {record.bytes}, {cells}}},'
    return f"    // torch {', '.join(versions)}\n{line}\n"


_OPENING = """#pragma once

#include <stdint.h>

namespace maya::layouts {

// Where a field stands; of an array, how wide its elements are and how many it has in all.
struct Field {
  uint32_t at, element_bytes, count;
};
"""


def table(layouts: Layouts, found: Records) -> str:
    """The text of torch_layouts.json: type -> its bytes, and offset, width and count of fields."""
    rows = {
        record.type: {
            "bytes": record.bytes,
            **{
                _identifier(path): [field.at, field.element_bytes, field.count]
                for path, field in zip(layouts.structs[name].fields, record.fields, strict=True)
            },
        }
        for name, records in found.items()
        for record, versions in records.items()
        if len(versions) == len(layouts.torch)
    }
    lines = (f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def files(packages: dict[str, dict[str, str]]) -> dict[str, str]:
    """File texts by path below native/gen."""
    layouts = load()
    found = read_records(layouts, packages)
    return {"torch/layouts.h": header(layouts, found), _PYTHON: table(layouts, found)}
