"""What the parser of the command line complains about, said as our own errors are."""

import re
from typing import Any

import typer

from maya.errors import MayaError

# Typer brings its own copy of click in newer versions, so the class is found through the one that
# both export.
UsageError: Any = typer.BadParameter.__mro__[1]
_WRONG_VALUE = re.compile(r"Invalid value for '(?P<option>[^']+)': (?P<what>must be .*)", re.DOTALL)


def usage_mistake(error: Any) -> MayaError:
    """`--jitter must be at most 0.28, not '0.9'`, and where the options are told."""
    text = error.format_message()
    if found := _WRONG_VALUE.fullmatch(text):
        text = f"{found['option']} {found['what']}"
    context = error.ctx
    return MayaError(_small(text).removesuffix("."), hint=_hint(context) if context else None)


def _hint(context: Any) -> str:
    """Where to read on; how a command is called, where it takes files."""
    help_page = f"`{_path(context)} --help`"
    if hasattr(context.command, "commands"):
        return f"{help_page} lists the commands"
    return f"{_call(context)}{help_page} tells the options"


def _call(context: Any) -> str:
    """`maya diff A B; `: of a command that takes files."""
    pieces = [one for one in context.command.collect_usage_pieces(context) if one != "[OPTIONS]"]
    if not pieces or "COMMAND" in " ".join(pieces):
        return ""
    return re.sub(r"[{}]", "", f"{_path(context)} {' '.join(pieces)}; ")


def _path(context: Any) -> str:
    """Not the path of the program: it may have been started as `python -m maya`."""
    if context.parent is None:
        return "maya"
    return f"{_path(context.parent)} {context.info_name}"


def _small(text: str) -> str:
    return text[:1].lower() + text[1:]
