"""List the functions that a library exports, by parsing its headers with libclang."""

from __future__ import annotations

import fnmatch
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from clang.cindex import (  # type: ignore[import-untyped]
    Cursor,
    CursorKind,
    Diagnostic,
    Index,
    StorageClass,
    TranslationUnit,
    TypeKind,
)

from codegen.abi import SAME_TYPE, AbiType, StructTable, reduce

MAIN = "maya_main"
# cuda_fp16.h includes a macro header of CCCL for its device functions, whose bodies are skipped.
STUBS = "/maya-stubs"


class ParseError(RuntimeError):
    """A header does not compile; what libclang would still deliver has guessed types."""


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    type: AbiType


@dataclass(frozen=True, slots=True)
class Function:
    name: str
    result: AbiType
    parameters: tuple[Parameter, ...]
    variadic: bool = False

    def abi(self) -> list[str]:
        """What must not change while the name stays the same."""
        types = (self.result, *(parameter.type for parameter in self.parameters))
        return [SAME_TYPE.get(type_.text, type_.text) for type_ in types]


@dataclass
class Exports:
    """Everything that one or several parses of a library's headers told."""

    functions: dict[str, Function] = field(default_factory=dict)
    enumerators: dict[str, int] = field(default_factory=dict)
    structs: StructTable = field(default_factory=StructTable)
    files: set[str] = field(default_factory=set)  # that declare a function

    def add_older(self, other: Exports) -> None:
        """Union with what another parse found; what is known already wins."""
        for name, function in other.functions.items():
            known = self.functions.setdefault(name, function)
            if known.abi() != function.abi():
                raise ParseError(f"{name} has two signatures: {known.abi()} and {function.abi()}")
        for name, value in other.enumerators.items():
            self.enumerators.setdefault(name, value)
        for name, definition in other.structs.definitions.items():
            self.structs.definitions.setdefault(name, definition)
        self.files |= other.files


@cache
def compiler_includes(language: str) -> tuple[str, ...]:
    """libclang's wheel has no stddef.h and the like; the system compiler's serve as well."""
    command = ["gcc", "-E", "-v", "-x", language, "/dev/null"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    listed = output.split("#include <...> search starts here:")[1].split("End of search list")[0]
    return tuple(f"-isystem{line.strip()}" for line in listed.strip().splitlines())


def parse(
    headers: Sequence[str],
    include_dirs: Sequence[Path],
    *,
    macros: Sequence[str] = (),
    owned: Sequence[str] | None = None,
    source: str = "",
    cplusplus: bool = False,
) -> Exports:
    """Functions declared in `headers` (or in files matching `owned`) and in the text `source`."""
    language = "c++" if cplusplus else "c"
    text = "".join(f'#include "{header}"\n' for header in headers) + source
    arguments = [
        f"-x{language}",
        "-std=c++17" if cplusplus else "-std=gnu11",
        *(f"-D{macro}" for macro in macros),
        *(f"-I{directory}" for directory in include_dirs),
        f"-I{STUBS}",
        *compiler_includes(language),
    ]
    unit = Index.create().parse(
        MAIN,
        arguments,
        unsaved_files=[(MAIN, text), (f"{STUBS}/nv/target", "")],
        options=TranslationUnit.PARSE_SKIP_FUNCTION_BODIES,
    )
    errors = [str(d) for d in unit.diagnostics if d.severity >= Diagnostic.Error]
    if errors:
        raise ParseError("\n".join(errors[:10]))
    return _collect(unit.cursor, owned or headers)


def _collect(root: Cursor, owned: Sequence[str]) -> Exports:
    exports = Exports()
    for cursor in _declarations(root):
        if cursor.kind == CursorKind.ENUM_DECL:
            for child in cursor.get_children():
                exports.enumerators[child.spelling] = child.enum_value
        elif _is_export(cursor, owned):
            exports.functions.setdefault(cursor.spelling, _function(cursor, exports.structs))
            exports.files.add(cursor.location.file.name)
    return exports


def _declarations(root: Cursor) -> Iterator[Cursor]:
    for cursor in root.get_children():
        # In C++ `extern "C" {` is a declaration of its own.
        if cursor.kind in (CursorKind.LINKAGE_SPEC, CursorKind.UNEXPOSED_DECL):
            yield from _declarations(cursor)
        elif cursor.kind in (CursorKind.FUNCTION_DECL, CursorKind.ENUM_DECL):
            yield cursor


def _is_export(cursor: Cursor, owned: Sequence[str]) -> bool:
    if cursor.kind != CursorKind.FUNCTION_DECL or cursor.location.file is None:
        return False
    inline = cursor.is_definition() or cursor.storage_class == StorageClass.STATIC
    # A C++ function is exported under a mangled name, which no fake provides.
    mangled = cursor.mangled_name not in ("", cursor.spelling)
    name = cursor.location.file.name
    mine = name == MAIN or any(fnmatch.fnmatch(name, f"*/{mask}") for mask in owned)
    return mine and not inline and not mangled


def _function(cursor: Cursor, structs: StructTable) -> Function:
    parameters = tuple(
        Parameter(argument.spelling or f"argument{index}", reduce(argument.type, structs))
        for index, argument in enumerate(cursor.get_arguments())
    )
    variadic = cursor.type.kind == TypeKind.FUNCTIONPROTO and cursor.type.is_function_variadic()
    return Function(cursor.spelling, reduce(cursor.result_type, structs), parameters, variadic)
