"""Writes docs/reference-*.md from what commands and functions say of themselves.

python -m codegen.reference
"""

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

import maya
from maya.cli.app import app

DOCS = Path(__file__).parents[1] / "docs"
_FUNCTIONS = ("run", "simulate", "search", "estimate", "emulate")
_NOTE = "Generated from the program itself by `make docs`.\n"


def commands() -> str:
    """Every command with its arguments and options."""
    group: Any = typer.main.get_command(app)
    parts = [
        "# Commands, option by option\n",
        _NOTE,
        "How they play together: [commands.md](commands.md).\n",
    ]
    for name, command in group.commands.items():
        parts.extend(_command(f"maya {name}", command))
    return "\n".join(parts)


def _command(name: str, command: Any) -> Iterator[str]:
    yield f"## {name}\n"
    yield _plain(command.help) + "\n"
    for inner, one in getattr(command, "commands", {}).items():
        yield f"### {name} {inner}\n"
        yield _plain(one.help) + "\n"
        yield from _options(one)
    if not hasattr(command, "commands"):
        yield from _options(command)


def _options(command: Any) -> Iterator[str]:
    rows = [_row(one) for one in command.params if not getattr(one, "hidden", False)]
    if rows:
        yield "| | what | default |\n|---|---|---|\n" + "\n".join(rows) + "\n"


def _row(one: Any) -> str:
    if one.param_type_name == "argument":
        return f"| `{one.metavar or one.name.upper()}` | {_plain(one.help)} | |"
    names = ", ".join(f"`{name}`" for name in (*one.opts, *one.secondary_opts))
    usual = one.default if isinstance(one.default, int | float | str) else ""
    switch = isinstance(usual, bool)
    shown = (
        (f"`{one.opts[0] if usual else one.secondary_opts[0]}`" if one.secondary_opts else "")
        if switch
        else usual
    )
    return f"| {names} | {_plain(one.help)} | {shown if shown != '' else ''} |"


def _plain(text: str | None) -> str:
    """On one line, and without what a table takes for its own."""
    return re.sub(r"\s+", " ", text or "").replace("|", "\\|").replace("<", "&lt;").strip()


def python() -> str:
    """Functions of `import maya`, and what a Report has."""
    parts = ["# Python, function by function\n", _NOTE]
    parts += [part for name in _FUNCTIONS for part in _function(f"maya.{name}", _named(name))]
    parts.append("## maya.Report\n")
    parts.append(inspect.getdoc(maya.Report) or "")
    parts.append("\n| | what |\n|---|---|")
    for name, value in vars(maya.Report).items():
        told = inspect.getdoc(value.fget if isinstance(value, property) else value)
        if not name.startswith("_") and told and (callable(value) or isinstance(value, property)):
            call = "()" if callable(value) else ""
            parts.append(f"| `{name}{call}` | {_plain(told)} |")
    return "\n".join(parts) + "\n"


def _named(name: str) -> Any:
    found = getattr(maya, name)
    return found if inspect.isfunction(found) else getattr(sys.modules["maya.estimate"], name)


def _function(name: str, function: Any) -> Iterator[str]:
    yield f"## {name}\n"
    signature = inspect.signature(function)
    words = [re.sub(r"'([^']*)'( = |$)", r"\1\2", str(p)) for p in signature.parameters.values()]
    keyed = [one.name for one in signature.parameters.values() if one.kind == one.KEYWORD_ONLY]
    if keyed:
        words.insert(list(signature.parameters).index(keyed[0]), "*")
    lines = ",\n".join(f"    {word}" for word in words)
    gives = str(signature.return_annotation).strip("'")
    yield f"```python\n{name}(\n{lines},\n) -> {gives}\n```\n"
    about, _, rest = (inspect.getdoc(function) or "").partition("Args:\n")
    yield about.strip() + "\n"
    arguments, _, raises = rest.partition("\nRaises:\n")
    if rows := _arguments(arguments):
        yield "| argument | what |\n|---|---|\n" + "\n".join(rows) + "\n"
    if raises:
        yield f"Raises {_plain(raises)}\n"


def _arguments(text: str) -> list[str]:
    rows: list[list[str]] = []
    for line in text.splitlines():
        if found := re.match(r"    (\w+): (.*)", line):
            rows.append([found[1], found[2]])
        elif line.strip() and rows:
            rows[-1][1] += " " + line.strip()
    return [f"| `{name}` | {_plain(what)} |" for name, what in rows]


if __name__ == "__main__":
    (DOCS / "reference-commands.md").write_text(commands(), "utf-8")
    (DOCS / "reference-python.md").write_text(python(), "utf-8")
