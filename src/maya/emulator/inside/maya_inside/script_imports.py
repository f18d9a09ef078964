"""What a script imports at its top level, read from its text."""

import ast
import contextlib
import importlib.util
import os
import sys


def script_path(words: "list[str]") -> str:
    """The file that is run: named, or found as `python -m` finds it."""
    if words[0] != "-m":
        return words[0]
    sys.path[0] = os.getcwd()
    for name in (words[1], f"{words[1]}.__main__"):
        with contextlib.suppress(Exception):
            spec = importlib.util.find_spec(name)
            if spec is not None and spec.origin and not spec.submodule_search_locations:
                return spec.origin
    return os.devnull


def imported_modules(path: str) -> "list[str]":
    """Modules that a script imports at its top level, in order; those beside it are not run, but
    what they import counts, too."""
    found: dict[str, None] = {}
    seen: set[str] = set()

    def read(file_path: str) -> None:
        seen.add(file_path)
        for name in _names_imported(file_path):
            own = _beside(os.path.dirname(path), name)
            if own is None:
                found[name] = None
            elif own not in seen:
                read(own)

    read(path)
    return list(found)


def _names_imported(path: str) -> "list[str]":
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    names: list[str] = []
    for node in _top_level(tree.body):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.append(node.module)
    return names


def _beside(directory: str, name: str) -> "str | None":
    if "-packages" in directory:
        return None
    stem = os.path.join(directory, *name.split("."))
    paths = f"{stem}.py", os.path.join(stem, "__init__.py")
    return next(filter(os.path.exists, paths), None)


def _top_level(body: "list[ast.stmt]") -> "list[ast.stmt]":
    """Statements that run on import: functions and the `__main__` block are not entered."""
    found = list(body)
    for node in body:
        if isinstance(node, ast.Try):
            found += _top_level(node.body)
    return found
