"""Reduce C types to what the calling convention sees.

The fakes are compiled without NVIDIA's headers, so a prototype keeps what decides how an argument
travels (integer or float, its width, by value or by address) and drops what does not (which enum,
which handle, which struct behind a pointer).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from clang.cindex import Cursor, CursorKind, Type, TypeKind  # type: ignore[import-untyped]

PREFIX = "maya_abi_"

SCALARS = {
    TypeKind.VOID: "void",
    TypeKind.BOOL: "bool",
    TypeKind.CHAR_S: "char",
    TypeKind.SCHAR: "signed char",
    TypeKind.UCHAR: "unsigned char",
    TypeKind.SHORT: "short",
    TypeKind.USHORT: "unsigned short",
    TypeKind.INT: "int",
    TypeKind.UINT: "unsigned int",
    TypeKind.LONG: "long",
    TypeKind.ULONG: "unsigned long",
    TypeKind.LONGLONG: "long long",
    TypeKind.ULONGLONG: "unsigned long long",
    TypeKind.WCHAR: "wchar_t",
    TypeKind.FLOAT: "float",
    TypeKind.DOUBLE: "double",
    TypeKind.LONGDOUBLE: "long double",
    TypeKind.ENUM: "int",
}
ARRAYS = (TypeKind.INCOMPLETEARRAY, TypeKind.CONSTANTARRAY, TypeKind.VARIABLEARRAY)
# One struct, two names; the second is the one that people know.
KNOWN_AS = {"float2": "cuComplex", "double2": "cuDoubleComplex"}
FLOATING = {TypeKind.FLOAT, TypeKind.DOUBLE, TypeKind.LONGDOUBLE}
# These read better than `unsigned long` and are the same type to the compiler.
STANDARD = {"size_t", *(f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64))}
# Spellings that header versions exchange for one another without changing the call.
SAME_TYPE = {"size_t": "unsigned long", "uint64_t": "unsigned long", "int64_t": "long"} | {
    "unsigned long long": "unsigned long",
    "long long": "long",
    "uint32_t": "unsigned int",
    "int32_t": "int",
}


class Kind(Enum):
    """How a value travels, which decides whether it can be a recorded field."""

    integer = "integer"
    floating = "floating"
    pointer = "pointer"
    struct = "struct"
    void = "void"


@dataclass(frozen=True, slots=True)
class AbiType:
    """A type as the generated prototypes spell it, and what the header called it."""

    text: str
    kind: Kind
    header_name: str
    is_enum: bool = False


@dataclass
class StructTable:
    """Definitions of the structs that travel by value, each after those that it contains."""

    definitions: dict[str, str] = field(default_factory=dict)

    def name_of(self, type_: Type) -> str:
        """ABI name of a struct or union, defining it on first use."""
        declaration = type_.get_canonical().get_declaration()
        name = PREFIX + _tag(type_)
        if name not in self.definitions:
            keyword = "union" if declaration.kind == CursorKind.UNION_DECL else "struct"
            body = self._members(declaration)
            self.definitions[name] = f"{keyword} {_alignment(declaration)}{name} {{\n{body}}};\n"
        return name

    def _members(self, declaration: Cursor, indent: str = "  ") -> str:
        lines = []
        for member in declaration.type.get_fields():
            text = self._member(member, indent)
            lines.append(f"{indent}{text};\n")
        return "".join(lines)

    def _member(self, member: Cursor, indent: str) -> str:
        type_, suffix = member.type, ""
        while type_.get_canonical().kind == TypeKind.CONSTANTARRAY:
            type_ = type_.get_canonical()
            suffix += f"[{type_.element_count}]"
            type_ = type_.element_type
        if member.is_bitfield():
            suffix = f" : {member.get_bitfield_width()}"
        inner = type_.get_canonical().get_declaration()
        if type_.get_canonical().kind == TypeKind.RECORD and inner.is_anonymous():
            keyword = "union" if inner.kind == CursorKind.UNION_DECL else "struct"
            body = self._members(inner, indent + "  ")
            # libclang describes a member without a name by its place in the file.
            name = "" if "anonymous" in member.spelling else f" {member.spelling}"
            return f"{keyword} {{\n{body}{indent}}}{name}{suffix}"
        return f"{reduce(type_, self).text} {member.spelling}{suffix}"


def _alignment(declaration: Cursor) -> str:
    # float2 is aligned to 8 bytes, which its two floats alone would not be.
    needed = declaration.type.get_align()
    natural = max((member.type.get_align() for member in declaration.type.get_fields()), default=1)
    return f"alignas({needed}) " if needed > natural else ""


def _tag(type_: Type) -> str:
    # The canonical name, so that one layout has one name whichever of its typedefs a header uses.
    name: str = type_.get_canonical().spelling.split()[-1].removesuffix("_st")
    return KNOWN_AS.get(name, name)


def _spelling(type_: Type) -> str:
    return " ".join(word for word in type_.spelling.split() if word not in ("const", "volatile"))


def _pointee(type_: Type) -> Type:
    if type_.kind not in (TypeKind.POINTER, *ARRAYS):
        type_ = type_.get_canonical()
    return type_.element_type if type_.kind in ARRAYS else type_.get_pointee()


def _pointer(type_: Type) -> str:
    """ABI spelling of a pointer: depth and const are kept, the pointee's identity mostly is not."""
    levels: list[bool] = []  # of each pointee, outermost first: is it const?
    while type_.get_canonical().kind in (TypeKind.POINTER, *ARRAYS):
        type_ = _pointee(type_)
        levels.append(type_.get_canonical().is_const_qualified())
    base = SCALARS.get(type_.get_canonical().kind, "void")
    if _spelling(type_) in STANDARD:
        base = _spelling(type_)
    # Arrays of device pointers are never read through; strings are.
    if len(levels) > 1 and base != "char":
        base = "void"
    return _stars(base, levels)


def _stars(base: str, levels: list[bool]) -> str:
    text = ("const " if levels[-1] else "") + base
    for is_const in reversed(levels[:-1]):
        text += "* const" if is_const else "*"
    return text + "*"


def reduce(type_: Type, structs: StructTable) -> AbiType:
    """The ABI form of a parameter, result or member type."""
    canonical, name = type_.get_canonical(), _spelling(type_)
    if canonical.kind in (TypeKind.POINTER, *ARRAYS):
        return AbiType(_pointer(type_), Kind.pointer, name)
    if canonical.kind == TypeKind.RECORD:
        return AbiType(structs.name_of(type_), Kind.struct, name)
    if canonical.kind not in SCALARS:
        raise ValueError(f"no ABI form for {type_.spelling} ({canonical.kind})")
    text = name if name in STANDARD else SCALARS[canonical.kind]
    kind = Kind.floating if canonical.kind in FLOATING else Kind.integer
    kind = Kind.void if canonical.kind == TypeKind.VOID else kind
    return AbiType(text, kind, name, canonical.kind == TypeKind.ENUM)
