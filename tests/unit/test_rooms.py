"""Packages, tests and headers: nothing hides another, and imports and includes point one way."""

import ast
import importlib
import pkgutil
import re
from collections import Counter
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from types import ModuleType

import pytest

import maya

ROOT = Path(__file__).resolve().parents[2]
# What of maya.analyze makes an answer; everybody else may name its types.
PARTS_OF_THE_USE_CASE = {"answer_of", "predict", "summary_of"}
# Runs in the user's Python; `import maya.__main__` would run the command.
ELSEWHERE = {"maya.emulator.inside", "maya.__main__"}


def hidden(package: ModuleType) -> Iterator[str]:
    """Modules of a package that cannot be reached by their name: something else is called so."""
    modules = [
        module
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
        if module.name not in ELSEWHERE
    ]
    loaded = {module.name: importlib.import_module(module.name) for module in modules}
    for module in modules:
        if module.ispkg:
            yield from hidden(loaded[module.name])
        if getattr(package, module.name.rpartition(".")[2]) is not loaded[module.name]:
            yield module.name


def test_no_function_hides_a_module() -> None:
    assert list(hidden(maya)) == []


# A class and its protocol; a step's cost in money and a kernel's in bytes; lines of a program and
# bytes of an argument.
SHARED_NAMES = {"StageReader", "Cost", "Place"}


def test_no_two_rooms_have_a_class_of_one_name() -> None:
    files = (ROOT / "src/maya").rglob("*.py")
    trees = (ast.walk(ast.parse(path.read_text("utf-8"))) for path in files)
    classes = Counter(
        node.name for tree in trees for node in tree if isinstance(node, ast.ClassDef)
    )
    public = {name for name, count in classes.items() if count > 1 and not name.startswith("_")}
    assert public == SHARED_NAMES


def test_no_two_files_of_tests_have_one_name() -> None:
    """Of two, pytest collects one and ends with an error."""
    files = Counter(path.name for path in Path(__file__).parents[1].rglob("test_*.py"))
    assert [name for name, count in files.items() if count > 1] == []


def imports_of_parts(path: Path) -> Iterator[str]:
    """Functions that predict, as far as this source imports them past `maya.prediction`."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("maya.analyze"):
            yield from (name.name for name in node.names if name.name in PARTS_OF_THE_USE_CASE)


def test_nobody_predicts_past_the_use_case() -> None:
    """Export, pages and calibration may hold a `Prediction`, but ask `maya.prediction` for it."""
    sources = [*(ROOT / "src/maya").rglob("*.py"), *(ROOT / "workshop").rglob("*.py")]
    rooms = {path.relative_to(ROOT).parts[2] for path in sources if list(imports_of_parts(path))}
    assert rooms == {"analyze", "prediction"}


def includes_of_the_core() -> dict[Path, set[Path]]:
    """Files of the core, and which of them each includes."""
    core = ROOT / "native/core"
    files = {path for path in core.rglob("*") if path.suffix in {".h", ".cpp"}}
    return {path: set(_included(path, core)) & files for path in files}


def _included(path: Path, core: Path) -> Iterator[Path]:
    for name in re.findall(r'#include "([^"]+)"', path.read_text("utf-8")):
        for directory in (path.parent, core, core / "include"):
            yield directory / name


def test_no_header_of_the_core_includes_itself_by_others() -> None:
    includes = includes_of_the_core()
    assert len(includes) > 100
    try:
        list(TopologicalSorter(includes).static_order())
    except CycleError as error:
        pytest.fail(f"include cycle: {error.args[1]}")


def test_rooms_of_the_core_include_one_way() -> None:
    core = ROOT / "native/core"
    rooms = {"exchange", "fatbin", "kernels", "ranges", "steps", "virtual"}
    pairs = {
        (path.relative_to(core).parts[0], other.relative_to(core).parts[0])
        for path, others in includes_of_the_core().items()
        for other in others
    }
    uses = {(user, used) for user, used in pairs if {user, used} <= rooms and user != used}
    assert not {(user, used) for user, used in uses if (used, user) in uses}
