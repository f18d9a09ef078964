"""maya validate: hands over to the workshop, which stands in a clone of the repository only."""

import sys
from importlib import import_module
from pathlib import Path

import typer

from maya.errors import MayaError

_CLONE = Path(__file__).resolve().parents[3]
_ANYTHING = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("validate", context_settings=_ANYTHING, add_help_option=False)(command)


def command(context: typer.Context) -> None:
    """Repeat published training steps and compare (in a clone)."""
    if not (_CLONE / "workshop" / "__main__.py").exists():
        raise MayaError(
            "validation needs a clone of Maya's repository: its scripts and measurements "
            "are not part of the installed package",
            hint="clone the repository, run `make setup`, then `python -m workshop validate`",
        )
    sys.path.insert(0, str(_CLONE))
    import_module("workshop.__main__").main(["validate", *context.args])
