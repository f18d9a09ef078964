"""The C++ body of one exported function, in one of three forms.

recorded      the problem is in the scalar arguments: written down by name, then success
workspace     a query of a scratch size: answered with an estimate from the scalar arguments
unsupported   counted, and answered with the library's own NOT_SUPPORTED status
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from codegen.abi import AbiType, Kind
from codegen.config import Library, Workspace, matches
from codegen.parse import Function, Parameter

# Names that a generated body uses itself, or that C++ reserves and C does not.
TAKEN = {"schema", "fields", "call"} | {"class", "new", "delete", "this", "template", "private"}
WORKSPACE_OUTPUT = re.compile(r"lwork.*|work.*|.*buffer.*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Form:
    """What a function became: `kind` is the name used in counts, `text` its definition."""

    kind: str
    text: str


def name_of(parameter: Parameter) -> str:
    """The header's name, where C++ and the body leave it free."""
    return parameter.name + "_" if parameter.name in TAKEN else parameter.name


def signature(function: Function, used: set[str] | None = None) -> str:
    """Prototype; with `used`, other parameters stay unnamed, as the body ignores them."""
    parts = []
    for parameter in function.parameters:
        named = used is None or parameter.name in used
        text = parameter.type.text
        parts.append(f"{text} {name_of(parameter)}" if named else text)
    if function.variadic:
        parts.append("...")
    return f"{function.result.text} {function.name}({', '.join(parts)})"


def build(name: str, library: Library, status: int, function: Function) -> Form:
    """Choose the form of a function and write it."""
    for rule in library.workspace:
        if matches([rule.match], function.name):
            return Form("workspace", _workspace(rule, function))
    if _is_recorded(library, function):
        return Form("recorded", _recorded(name, library, function))
    return Form("unsupported", _unsupported(name, library, status, function))


def _is_recorded(library: Library, function: Function) -> bool:
    rule = library.recorded
    if rule is None or not function.parameters:
        return False
    return (
        function.parameters[0].type.header_name == rule.handle
        and matches(rule.include, function.name)
        and not matches(rule.exclude, function.name)
    )


def _define(marker: str, function: Function, used: set[str], lines: list[str]) -> str:
    body = "".join(f"  {line}\n" for line in lines)
    return f'extern "C" {marker} {signature(function, used)} {{\n{body}}}\n'


def _recorded(name: str, library: Library, function: Function) -> str:
    handle, *rest = function.parameters
    fields = [parameter for parameter in rest if parameter.type.kind is Kind.integer]
    outputs = {
        parameter: rule.value
        for rule in library.host_outputs
        if matches([rule.match], function.name)
        for parameter in rest
        if matches([rule.parameter], parameter.name)
    }
    lines = []
    if fields:
        listed = ", ".join(f'"{parameter.name}"' for parameter in fields)
        lines.append(f"static const char* const fields[] = {{{listed}}};")
    table = f"fields, {len(fields)}" if fields else "nullptr, 0"
    lines.append(f'static maya::Schema schema{{"{function.name}", maya::Kind::library, {table}}};')
    lines += [f"if ({name_of(p)}) *{name_of(p)} = {value};" for p, value in outputs.items()]
    written = [p for p in rest if _may_write(p) and p not in outputs]
    lines += [f"maya::forget({name_of(p)});" for p in written]
    owner = name_of(handle)
    if handle.type.kind is Kind.integer:
        owner = f"reinterpret_cast<void*>(static_cast<intptr_t>({owner}))"
    values = ", ".join(_value(parameter) for parameter in fields)
    lines.append(
        f"return maya::record_library_call(schema, maya::Library::{name}, {owner}, {{{values}}});"
    )
    used = {parameter.name for parameter in (handle, *fields, *outputs, *written)}
    return _define("MAYA_RECORDED", function, used, lines)


def _may_write(parameter: Parameter) -> bool:
    """Results go where a pointer to something not const leads; handles are passed the same way."""
    text = parameter.type.text
    return text.endswith("*") and not text.endswith("**") and "const" not in text


def _value(parameter: Parameter) -> str:
    # Braces refuse to narrow, and only 64-bit unsigned types narrow to int64_t.
    wide = {"size_t", "uint64_t", "unsigned long", "unsigned long long"}
    name = name_of(parameter)
    return f"static_cast<int64_t>({name})" if parameter.type.text in wide else name


def _workspace(rule: Workspace, function: Function) -> str:
    """Body that answers each size asked for: the device's is the estimate, the host's is none."""
    outputs = [
        parameter
        for parameter in function.parameters
        if parameter.type.text in ("int*", "size_t*", "int64_t*")
        and WORKSPACE_OUTPUT.fullmatch(parameter.name)
    ]
    if not outputs:
        raise ValueError(f"{function.name}: no parameter takes the workspace size")
    integers = {p.name for p in function.parameters if p.type.kind is Kind.integer}
    expression = rule.elements or rule.bytes or "0"
    used = set(re.findall(r"[A-Za-z_]\w*", expression))
    if not used <= integers:
        raise ValueError(f"{function.name}: {used - integers} are no integer arguments")
    # int64_t throughout: the square of an int dimension overflows at 46,341.
    value = re.sub(r"[A-Za-z_]\w*", lambda word: f"int64_t{{{word[0]}}}", expression)
    if rule.elements and "computeType" in integers:
        value = f"({value}) * maya::gen::element_bytes(computeType)"
        used.add("computeType")
    lines = [f"maya::gen::answer({name_of(outputs[0])}, {value});"]
    lines += [f"maya::gen::answer({name_of(output)}, 0);" for output in outputs[1:]]
    lines.append("return 0;")
    return _define("MAYA_RECORDED", function, used | {output.name for output in outputs}, lines)


def _unsupported(name: str, library: Library, status: int, function: Function) -> str:
    answer = _answer(library, function.result, f"maya::unsupported(call, {status})")
    counter = f'static maya::UnsupportedCall call{{"{function.name}", "{name}"}};'
    return _define("MAYA_UNSUPPORTED", function, set(), [counter, *answer])


def _answer(library: Library, result: AbiType, counted: str) -> list[str]:
    """Statements that count the call and answer it as this result type can."""
    if result.is_enum or (result.text == "int" and library.int_is_status):
        return [f"return {counted};"]
    if result.kind is Kind.struct and library.struct_is_status:
        return [f"return {{{counted}, 0}};"]
    if result.header_name == "ssize_t":
        # POSIX style: the number of bytes, or an error as a negative number.
        return [f"return -{counted};"]
    # A pointer, a size, nothing: only null and zero are left to say no.
    return [f"{counted};", "return {};"] if result.kind is not Kind.void else [f"{counted};"]
