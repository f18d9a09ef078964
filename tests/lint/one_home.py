"""Fails where a kernel's name, a struct's offset or a run file's name has a second home.

The homes: src/maya/families/families.yaml, for what functors compute native's operations.cpp,
codegen/layouts.yaml with what it generates, src/maya/estimate/kernels/arguments.py,
src/maya/rundir/names.py and native's run_files.h.
"""

import ast
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TypeGuard

import yaml

ROOT = Path(__file__).resolve().parents[2]
FAMILIES = ROOT / "src/maya/families/families.yaml"
LAYOUTS = ROOT / "src/maya/families/torch_layouts.json"
FILE_NAMES = ROOT / "src/maya/rundir/names.py"
NATIVE_FILE_NAMES = ROOT / "native/core/include/maya/run_files.h"
OPERATIONS = ROOT / "native/core/kernels/values/operations.cpp"
ARGUMENTS = ROOT / "src/maya/estimate/kernels/arguments.py"
# Names of operators of ATen, which are not those of its kernels.
OPERATORS = ROOT / "src/maya/emulator/inside/maya_inside/operator_names.py"

_TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w{7,}")
_WHOLE = re.compile(r"(?<![\w.])\d+(?![\w.])")
_NAME = re.compile(r"kernel|[A-Z]|.{13}")  # shorter ones without a capital are words of their own
_LEAST_FILE_NAME = 8
_LEAST_OFFSET = 100  # smaller numbers stand for other things

# Types, not kernels: whoever reads such an argument names it.
TYPES = {"GenericPackedTensorAccessor", "OpaqueType", "TrivialOffsetCalculator"}
_INSIDE = (
    "runs in the user's Python, where maya cannot be imported; a test holds the lists together"
)
_INSIDE_FILES = "src/maya/emulator/inside/maya_inside/run_files.py"
# (file, literal): why it is no second home.
ALLOWED: dict[tuple[str, str], str] = {
    (_INSIDE_FILES, "groups.txt"): _INSIDE,
    (_INSIDE_FILES, "partners-{rank}.txt"): _INSIDE,
    (_INSIDE_FILES, ".memory.json"): _INSIDE,
}


@dataclass(frozen=True, slots=True)
class Literal:
    """A text in quotes or, of a reader of arguments, a number."""

    path: str
    line: int
    text: str


def texts(path: Path) -> Iterator[Literal]:
    """The texts in quotes of a source, without comments and docstrings."""
    name = str(path.relative_to(ROOT))
    if path.suffix == ".py":
        yield from (Literal(name, line, text) for line, text in _python_texts(path.read_text()))
        return
    for number, line in enumerate(_without_comments(path.read_text()).splitlines(), 1):
        if not line.lstrip().startswith("#include"):
            yield from (Literal(name, number, text) for text in _TEXT.findall(line))


def _python_texts(source: str) -> Iterator[tuple[int, str]]:
    tree = ast.parse(source)
    spoken = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in spoken
        ):
            yield node.lineno, node.value


def numbers(path: Path) -> Iterator[Literal]:
    """Whole numbers in the code of a source."""
    name, source = str(path.relative_to(ROOT)), path.read_text()
    if path.suffix == ".py":
        found = ((n.lineno, n.value) for n in ast.walk(ast.parse(source)) if _is_number(n))
        yield from (Literal(name, line, str(value)) for line, value in found)
        return
    for number, line in enumerate(_without_comments(source).splitlines(), 1):
        yield from (Literal(name, number, text) for text in _WHOLE.findall(line))


def _is_number(node: ast.AST) -> TypeGuard[ast.Constant]:
    return isinstance(node, ast.Constant) and type(node.value) is int


def _without_comments(source: str) -> str:
    return _COMMENT.sub(lambda found: "\n" * found.group().count("\n"), source)


def kernel_names() -> set[str]:
    """The names that the table knows kernels by, whole and in their names."""
    rows = yaml.safe_load(FAMILIES.read_text())["families"]
    patterns = chain(*((row.get("kernel", ""), *row.get("with", ())) for row in rows))
    words = chain(*(_IDENTIFIER.findall(pattern) for pattern in patterns))
    stems = {word for word in words if _NAME.search(word)}
    return (stems | {row["typed_by"] for row in rows if "typed_by" in row}) - TYPES


def operation_names() -> set[str]:
    """The names of functors that are carried out."""
    found = (text.split("#")[0] for text in _TEXT.findall(OPERATIONS.read_text()))
    return {name for name in found if _IDENTIFIER.fullmatch(name)}


def offsets() -> set[str]:
    """Sizes and offsets of the generated layouts, and places that were found in launches."""
    table = json.loads(LAYOUTS.read_text())
    known: set[int] = set()
    for row in table.values():
        known.add(row.pop("bytes"))
        known |= {field[0] for field in row.values()}
    known |= {node.value for node in ast.walk(ast.parse(ARGUMENTS.read_text())) if _is_number(node)}
    powers = {1 << power for power in range(16)}
    return {str(number) for number in known - powers if number >= _LEAST_OFFSET}


def file_names() -> set[str]:
    """Names of files and directories of a run, as both languages spell them."""
    python = {text for _, text in _python_texts(FILE_NAMES.read_text()) if "." in text}
    native = {literal.text for literal in texts(NATIVE_FILE_NAMES) if "." in literal.text}
    return {name for name in python | native if len(name) >= _LEAST_FILE_NAME}


def sources(*patterns: str) -> Iterator[Path]:
    """The sources of these patterns, in order."""
    yield from sorted(path for pattern in patterns for path in ROOT.glob(pattern))


def second_homes() -> Iterator[tuple[Literal, str]]:
    """Every literal that has its home elsewhere, and where."""
    names, places, files = kernel_names(), offsets(), file_names()
    operations = operation_names()
    everywhere = ("src/maya/**/*.py", "native/core/**/*.cpp", "native/core/**/*.h")
    for path in sources(*everywhere):
        for literal in texts(path):
            example = "(int" in literal.text  # a whole kernel's name, for tests of plugins
            if path == OPERATORS or example:
                continue
            if any(name in literal.text for name in names):
                yield literal, "families.yaml"
            if path != OPERATIONS and any(name in literal.text for name in operations):
                yield literal, "operations.cpp"
            if literal.text in files and path not in (FILE_NAMES, NATIVE_FILE_NAMES):
                yield literal, "rundir/names.py or run_files.h"
    for path in sources("src/maya/estimate/kernels/*.py", "native/core/kernels/**/*.*"):
        if path == ARGUMENTS:
            continue
        yield from ((found, "layouts.yaml") for found in numbers(path) if found.text in places)


def main() -> int:
    """1 where a literal has a second home."""
    found = list(second_homes())
    used = {(literal.path, literal.text) for literal, _ in found}
    for literal, home in found:
        if (literal.path, literal.text) not in ALLOWED:
            print(f"{literal.path}:{literal.line}: {literal.text!r} has its home in {home}")
    for path, text in ALLOWED.keys() - used:
        print(f"{path}: {text!r} is no longer there; take it out of the allowed ones")
    return 1 if used != ALLOWED.keys() else 0


if __name__ == "__main__":
    sys.exit(main())
