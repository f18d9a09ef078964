"""Packages and what they offer do not hide each other, nor do files of tests."""

import importlib
import pkgutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import maya

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


def test_no_two_files_of_tests_have_one_name() -> None:
    """Of two, pytest collects one and ends with an error."""
    files = Counter(path.name for path in Path(__file__).parents[1].rglob("test_*.py"))
    assert [name for name, count in files.items() if count > 1] == []
