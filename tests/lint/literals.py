"""Texts and numbers in sources of Python and C++, without comments and docstrings."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard

_TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_WHOLE = re.compile(r"(?<![\w.])\d+(?![\w.])")
# Methods of a parameter image that take the place first.
_READERS = frozenset({"i32", "u32", "i64", "words"})


@dataclass(frozen=True, slots=True)
class Literal:
    """A text in quotes or, of a reader of arguments, a number."""

    path: str
    line: int
    text: str


def texts(path: Path, root: Path) -> Iterator[Literal]:
    """The texts in quotes of a source."""
    name = str(path.relative_to(root))
    if path.suffix == ".py":
        yield from (Literal(name, line, text) for line, text in python_texts(path.read_text()))
        return
    for number, line in enumerate(_without_comments(path.read_text()).splitlines(), 1):
        if not line.lstrip().startswith("#include"):
            yield from (Literal(name, number, text) for text in _TEXT.findall(line))


def python_texts(source: str) -> Iterator[tuple[int, str]]:
    """Line and text."""
    tree = ast.parse(source)
    spoken = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if _is_text(node) and id(node) not in spoken:
            yield node.lineno, node.value


def joined(path: Path, root: Path) -> Iterator[Literal]:
    """Texts of a Python source that are joined to a path: `directory / "name"`."""
    name = str(path.relative_to(root))
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and _is_text(node.right):
            yield Literal(name, node.lineno, node.right.value)


def numbers(path: Path, root: Path) -> Iterator[Literal]:
    """Whole numbers in the code of a source."""
    name, source = str(path.relative_to(root)), path.read_text()
    if path.suffix == ".py":
        found = ((n.lineno, n.value) for n in ast.walk(ast.parse(source)) if is_number(n))
        yield from (Literal(name, line, str(value)) for line, value in found)
        return
    for number, line in enumerate(_without_comments(source).splitlines(), 1):
        yield from (Literal(name, number, text) for text in _WHOLE.findall(line))


def bare_places(path: Path, root: Path) -> Iterator[Literal]:
    """Numbers by which a Python source reads a parameter image, however small they are."""
    name = str(path.relative_to(root))
    for node in ast.walk(ast.parse(path.read_text())):
        reads = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if reads and node.func.attr in _READERS and node.args and is_number(node.args[0]):
            yield Literal(name, node.lineno, str(node.args[0].value))


def is_number(node: ast.AST) -> TypeGuard[ast.Constant]:
    """Whether it is a whole number."""
    return isinstance(node, ast.Constant) and type(node.value) is int


def all_texts(source: str) -> list[str]:
    """Everything between quotes in C++, comments included."""
    return _TEXT.findall(source)


def _is_text(node: ast.AST) -> TypeGuard[ast.Constant]:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _without_comments(source: str) -> str:
    return _COMMENT.sub(lambda found: "\n" * found.group().count("\n"), source)
