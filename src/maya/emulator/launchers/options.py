"""Splits a launcher's command line into its options and the script behind them."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from maya.errors import MayaError


@dataclass(frozen=True, slots=True)
class Syntax:
    """How one launcher reads its command line, up to the script."""

    name: str
    values: frozenset[str]  # options that take a value, without dashes, words joined by dashes
    flags: frozenset[str]
    short: dict[str, str] = field(default_factory=dict)  # -m -> module
    pairs: frozenset[str] = frozenset()  # options that take two values

    @property
    def known(self) -> frozenset[str]:
        """All options, by their long names."""
        return self.values | self.flags | self.pairs


@dataclass(frozen=True, slots=True)
class Parsed:
    """A launcher's options, and the script with its arguments."""

    options: dict[str, str]
    rest: list[str]
    given: tuple[tuple[str, str], ...] = ()  # every option in order, where some may stand twice


def parse_options(syntax: Syntax, words: list[str]) -> Parsed:
    """Split a command line as the launcher would."""
    parsed = split_options(syntax, words)
    if not parsed.rest:
        raise MayaError(f"{syntax.name}: no script given")
    return parsed


def split_options(syntax: Syntax, words: list[str]) -> Parsed:
    """The same where nothing need stand behind the options."""
    left, given = deque(words), []
    while left and left[0].startswith("-") and left[0] != "-":
        word = left.popleft()
        if word == "--":
            break
        given.append(_option(syntax, word, left))
    return Parsed(dict(given), list(left), tuple(given))


def _option(syntax: Syntax, word: str, left: deque[str]) -> tuple[str, str]:
    """One option with its value, which may be the next word."""
    if attached := _attached(syntax, word):
        return attached
    name, equals, value = word.lstrip("-").partition("=")
    name = _whole(syntax, syntax.short.get(name, name.replace("_", "-")))
    if name in syntax.flags:
        return name, "1"
    if name not in syntax.known:
        raise MayaError(
            f"{syntax.name}: unknown option {word}",
            hint="its options stand before the script, the script's own behind it",
        )
    wanted = 2 if name in syntax.pairs else 0 if equals else 1
    if len(left) < wanted:
        raise MayaError(f"{syntax.name}: {word} needs a value")
    return name, " ".join([value] * bool(equals) + [left.popleft() for _ in range(wanted)])


def _attached(syntax: Syntax, word: str) -> tuple[str, str] | None:
    """`-N2` is `-N 2`, unless there is an option of that name."""
    name = syntax.short.get(word[1], "")
    whole = word.lstrip("-").partition("=")[0]
    if len(word) < 3 or name not in syntax.values or whole in syntax.known:
        return None
    return name, word[2:]


def options_from_environment(syntax: Syntax, environment: Mapping[str, str]) -> dict[str, str]:
    """What torchrun takes from PET_NPROC_PER_NODE and the like where its command says nothing."""
    words = {name: "PET_" + name.upper().replace("-", "_") for name in syntax.known}
    given = {name: environment[word] for name, word in words.items() if word in environment}
    off = {name for name in syntax.flags if given.get(name) == "0"}
    return {name: value for name, value in given.items() if name not in off}


def _whole(syntax: Syntax, name: str) -> str:
    """An option may be cut short where one alone begins so."""
    alike = {whole for whole in syntax.known if name and whole.startswith(name)}
    return alike.pop() if name not in syntax.known and len(alike) == 1 else name
