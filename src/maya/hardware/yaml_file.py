"""YAML with the line of every key, so that errors can name it."""

from collections.abc import Sequence
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from maya.errors import MayaError
from maya.mistakes import plain_words

Model = TypeVar("Model", bound=BaseModel)
Lines = dict[tuple[str | int, ...], int]
_MOST_NODES = 100_000


def load(text: str, name: str) -> tuple[dict[str, Any], Lines]:
    """The mapping in a YAML file, and the line of each of its keys."""
    roots = _compose(text, name)
    lines: Lines = {(): 1}
    if len(roots) == 1:
        _number(roots[0], (), lines)  # before `<<` is resolved, which moves keys
    data = _values(roots, name)[0] if len(roots) == 1 else None
    if not isinstance(data, dict):
        raise MayaError(f"{name}, line 1: expected `key: value` lines")
    return data, lines


def documents(text: str, name: str) -> list[Any]:
    """The values of all documents in a YAML file."""
    return _values(_compose(text, name), name)


def _values(roots: Sequence[yaml.Node], name: str) -> list[Any]:
    try:
        return [yaml.constructor.SafeConstructor().construct_document(root) for root in roots]
    except (yaml.YAMLError, ValueError) as error:  # a date that is none, a key that is a list
        raise MayaError(f"{name}: {error}", hint="this is not YAML") from error


def _compose(text: str, name: str) -> list[yaml.Node]:
    """The nodes of each document, which aliases must not multiply without bound."""
    try:
        roots = list(yaml.compose_all(text, Loader=yaml.SafeLoader))
        sizes: dict[int, int] = {}
        whole = sum(_size(root, sizes) for root in roots)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = mark.line + 1 if mark else 1
        raise MayaError(f"{name}, line {line}: {error.problem}", hint="this is not YAML") from error
    except yaml.YAMLError as error:
        raise MayaError(f"{name}: {error}", hint="this is not YAML") from error
    except RecursionError as error:
        raise MayaError(f"{name}: lists and mappings are nested too deeply") from error
    if whole > _MOST_NODES:
        raise MayaError(f"{name}: more than {_MOST_NODES:,} values, counting aliases in full")
    return roots


def _size(node: yaml.Node, sizes: dict[int, int]) -> int:
    """Nodes below this one, each alias counted as what it stands for."""
    if id(node) not in sizes:
        sizes[id(node)] = _MOST_NODES + 1  # an alias of what it stands in
        below: list[yaml.Node] = []
        if isinstance(node, yaml.MappingNode):
            below = [part for pair in node.value for part in pair]
        elif isinstance(node, yaml.SequenceNode):
            below = node.value
        sizes[id(node)] = 1 + sum(_size(part, sizes) for part in below)
    return sizes[id(node)]


def _number(node: yaml.Node, path: tuple[str | int, ...], lines: Lines) -> None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise MayaError(f"line {line}: a list or mapping stands where a key should")
            below = (*path, key.value)
            if below in lines:
                raise MayaError(f"line {line}: {key.value!r} stands twice", hint="remove one")
            lines[below] = line
            _number(value, below, lines)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            lines[(*path, index)] = value.start_mark.line + 1
            _number(value, (*path, index), lines)


def line_of(lines: Lines, path: Sequence[str | int]) -> int:
    """The line of a key, or of the nearest one above it."""
    key = tuple(path)
    while key not in lines:
        key = key[:-1]
    return lines[key]


def validate(
    model: type[Model], data: Any, lines: Lines, name: str, at: tuple[str | int, ...] = ()
) -> Model:
    """The data as a model; every mistake named with its line."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        problems = [_problem(dict(detail), lines, at) for detail in error.errors()]
        known = ", ".join(model.model_fields)
        raise MayaError(f"{name}: {'; '.join(problems)}", hint=f"known keys: {known}") from error


def _problem(detail: dict[str, Any], lines: Lines, at: tuple[str | int, ...]) -> str:
    path = (*at, *detail["loc"])
    key = ".".join(map(str, detail["loc"])) or "the file"
    text = {"extra_forbidden": "unknown key", "missing": "missing key"}.get(detail["type"])
    message = f"{text} {key!r}" if text else f"{key}: {plain_words(detail)}"
    return f"line {line_of(lines, path)}: {message}"
