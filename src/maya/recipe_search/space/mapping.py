"""From a point to the command, environment and files that run it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from maya.errors import MayaError
from maya.recipe_search.space.config_files import edited, read_config
from maya.recipe_search.space.expressions import Scalar
from maya.recipe_search.space.file import SearchFile
from maya.recipe_search.space.knobs import Knob
from maya.recipe_search.space.space import CLUSTER_FACTS, Point, Space

_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")


@dataclass(frozen=True, slots=True)
class RecipeLaunch:
    """How to run one recipe. Files are texts by the name under which the command knows them."""

    command: tuple[str, ...]
    env: dict[str, str]
    files: dict[str, str]

    def placed(self, directory: Path) -> tuple[str, ...]:
        """The command with its edited files in this directory; writes them."""
        words = self.command
        for name, text in self.files.items():
            directory.mkdir(parents=True, exist_ok=True)
            copy = directory / Path(name).name
            copy.write_text(text, encoding="utf-8")
            words = tuple(_renamed(word, name, str(copy)) for word in words)
        return words


def launch_of(space: Space, point: Point, directory: Path) -> RecipeLaunch:
    """Turn every knob."""
    file, scope = space.file, space.scope(point)
    words = [_filled(word, scope) for word in file.command]
    edits: dict[str, dict[str, Scalar]] = {}
    for name, knob in file.knobs.items():
        if not space.is_on(point, name):
            continue
        value = point.knobs[name]
        words = _turned(words, knob, value)
        if knob.file:
            edits.setdefault(knob.file.path, {})[knob.file.key] = value
    files = {path: edited(directory / path, values) for path, values in edits.items()}
    return RecipeLaunch(tuple(words), environment_of(space, point), files)


def environment_of(space: Space, point: Point) -> dict[str, str]:
    """The variables of a recipe."""
    env = {name: _filled(value, space.scope(point)) for name, value in space.file.env.items()}
    for name, knob in space.file.knobs.items():
        if knob.env and space.is_on(point, name):
            env[knob.env] = text_of(point.knobs[name])
    return env


def check_mapping(file: SearchFile, directory: Path) -> None:
    """Every knob must reach the program, and every placeholder must be known."""
    used = _placeholders(file)
    known = {*file.knobs, *file.constants, *file.derived, *CLUSTER_FACTS}
    if unknown := sorted(used - known):
        raise MayaError(
            f"the command has a placeholder {{{unknown[0]}}}, but nothing has this name",
            hint=f"known: {', '.join(sorted(known))}",
        )
    reached = _reached(file, used)
    for name, knob in file.knobs.items():
        if not knob.mapped and name not in reached:
            raise MayaError(
                f"knob {name!r} changes nothing",
                hint=f"write {{{name}}} in the command, or give it flag, switch, env or file",
            )
        _check_flag(name, knob, file.command)
        if knob.file:
            _check_file(name, knob, file.command, directory)


def text_of(value: Scalar) -> str:
    """A value as a word: true and false as programs write them."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _turned(words: list[str], knob: Knob, value: Scalar) -> list[str]:
    if knob.flag:
        words = _replaced(words, knob.flag, text_of(value))
    if knob.add_flag:
        words = [*words, knob.add_flag, text_of(value)]
    if knob.switch and value is True:
        words = [*words, knob.switch]
    return words


def _replaced(words: list[str], flag: str, value: str) -> list[str]:
    """`--flag old` or `--flag=old` with another value."""
    words = list(words)
    for index, word in enumerate(words):
        if word == flag and index + 1 < len(words):
            words[index + 1] = value
        elif word.startswith(f"{flag}="):
            words[index] = f"{flag}={value}"
    return words


def _filled(word: str, scope: Mapping[str, Scalar]) -> str:
    return _PLACEHOLDER.sub(lambda match: text_of(scope[match[1]]), word)


def _placeholders(file: SearchFile) -> set[str]:
    texts = [*file.command, *file.env.values()]
    return {name for text in texts for name in _PLACEHOLDER.findall(text)}


def _reached(file: SearchFile, used: set[str]) -> set[str]:
    """Names that a placeholder uses, itself or through derived values."""
    from maya.recipe_search.space.expressions import Expression

    found, queue = set(used), list(used)
    while queue:
        name = queue.pop()
        inputs = Expression(file.derived[name]).names if name in file.derived else frozenset()
        queue += inputs - found
        found |= inputs
    return found


def _check_flag(name: str, knob: Knob, command: list[str]) -> None:
    flag = knob.flag
    if flag and not any(word == flag or word.startswith(f"{flag}=") for word in command[:]):
        raise MayaError(
            f"knob {name!r}: the command has no flag {flag}",
            hint=f"correct the flag, or write add_flag: {flag} to have it added",
        )
    if flag and command[-1] == flag:
        raise MayaError(f"knob {name!r}: {flag} has no value in the command")


def _check_file(name: str, knob: Knob, command: list[str], directory: Path) -> None:
    assert knob.file is not None
    path = knob.file.path
    if not any(_renamed(word, path, "") != word for word in command):
        raise MayaError(
            f"knob {name!r}: nothing in the command names the file {path}",
            hint="write the path in the command as it stands in the knob",
        )
    read_config(directory / path).check_key(knob.file.key, create=knob.file.create)


def _renamed(word: str, name: str, copy: str) -> str:
    """A word that is the file's name, or ends in =name."""
    if word == name:
        return copy
    return word[: -len(name)] + copy if word.endswith(f"={name}") else word
