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
from itertools import chain
from pathlib import Path

import yaml
from literals import (
    Literal,
    all_texts,
    bare_places,
    is_number,
    joined,
    numbers,
    python_texts,
    texts,
)

ROOT = Path(__file__).resolve().parents[2]
FAMILIES = ROOT / "src/maya/families/families.yaml"
LAYOUTS = ROOT / "src/maya/families/torch_layouts.json"
FILE_NAMES = ROOT / "src/maya/rundir/names.py"
NATIVE_FILE_NAMES = ROOT / "native/core/include/maya/run_files.h"
OPERATIONS = ROOT / "native/core/kernels/values/operations.cpp"
ARGUMENTS = ROOT / "src/maya/estimate/kernels/arguments.py"
# Names of operators of ATen, which are not those of its kernels.
OPERATORS = ROOT / "src/maya/emulator/inside/maya_inside/operator_names.py"

PYTHON = ("src/maya/**/*.py", "workshop/**/*.py", "benchmarks/*.py")
NATIVE = ("native/**/*.cpp", "native/**/*.h", "native/**/*.c")
READERS = ("src/maya/estimate/kernels/*.py", "native/core/kernels/**/*.*")
ELSEWHERE = ("native/gen", "native/tests")  # made from the homes, and programs that are tests

_IDENTIFIER = re.compile(r"[A-Za-z_]\w{7,}")
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
    (_INSIDE_FILES, ".snapshot.json"): _INSIDE,
    (_INSIDE_FILES, "served-{process}.jsonl"): _INSIDE,
}


def kernel_names() -> set[str]:
    """The names that the table knows kernels by, whole and in their names."""
    rows = yaml.safe_load(FAMILIES.read_text())["families"]
    patterns = chain(*((row.get("kernel", ""), *row.get("with", ())) for row in rows))
    words = chain(*(_IDENTIFIER.findall(pattern) for pattern in patterns))
    stems = {word for word in words if _NAME.search(word)}
    return (stems | {row["typed_by"] for row in rows if "typed_by" in row}) - TYPES


def operation_names() -> set[str]:
    """The names of functors that are carried out."""
    found = (text.split("#")[0] for text in all_texts(OPERATIONS.read_text()))
    return {name for name in found if _IDENTIFIER.fullmatch(name)}


def offsets() -> set[str]:
    """Sizes and offsets of the generated layouts, and places that were found in launches."""
    table = json.loads(LAYOUTS.read_text())
    known: set[int] = set()
    for row in table.values():
        known.add(row.pop("bytes"))
        known |= {field[0] for field in row.values()}
    known |= {node.value for node in ast.walk(ast.parse(ARGUMENTS.read_text())) if is_number(node)}
    powers = {1 << power for power in range(16)}
    return {str(number) for number in known - powers if number >= _LEAST_OFFSET}


def all_file_names() -> set[str]:
    """Names of files and directories of a run, as both languages spell them."""
    python = {text for _, text in python_texts(FILE_NAMES.read_text())}
    return python | {literal.text for literal in texts(NATIVE_FILE_NAMES, ROOT)}


def file_names() -> set[str]:
    """Those that are nobody else's word."""
    return {name for name in all_file_names() if "." in name and len(name) >= _LEAST_FILE_NAME}


def sources(*patterns: str) -> Iterator[Path]:
    """The sources of these patterns, in order."""
    found = sorted(path for pattern in patterns for path in ROOT.glob(pattern))
    for path in found:
        if path.is_file() and not str(path.relative_to(ROOT)).startswith(ELSEWHERE):
            yield path


def second_names() -> Iterator[tuple[Literal, str]]:
    """Names of kernels and functors away from their tables."""
    names, operations = kernel_names(), operation_names()
    for path in sources(*PYTHON, *NATIVE):
        for literal in texts(path, ROOT):
            example = "(int" in literal.text  # a whole kernel's name, for tests of plugins
            if path == OPERATORS or example:
                continue
            if any(name in literal.text for name in names):
                yield literal, "families.yaml"
            if path != OPERATIONS and any(name in literal.text for name in operations):
                yield literal, "operations.cpp"


def second_places() -> Iterator[tuple[Literal, str]]:
    """Offsets away from the layouts and the list of places."""
    places = offsets()
    for path in sources(*READERS):
        if path != ARGUMENTS:
            yield from ((n, "layouts.yaml") for n in numbers(path, ROOT) if n.text in places)
    for path in sources("src/maya/**/*.py", "workshop/**/*.py"):
        yield from ((place, "arguments.py") for place in bare_places(path, ROOT))


def second_file_names() -> Iterator[tuple[Literal, str]]:
    """Names of run files away from the two lists; short ones where they are joined to a path."""
    home = "rundir/names.py or run_files.h"
    files, short = file_names(), all_file_names()
    for path in sources(*PYTHON, *NATIVE):
        if path in (FILE_NAMES, NATIVE_FILE_NAMES):
            continue
        yield from ((text, home) for text in texts(path, ROOT) if text.text in files)
        if path.suffix == ".py":
            short_ones = (text for text in joined(path, ROOT) if text.text in short - files)
            yield from ((text, home) for text in short_ones)


def second_homes() -> Iterator[tuple[Literal, str]]:
    """Every literal that has its home elsewhere, and where."""
    return chain(second_names(), second_places(), second_file_names())


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
