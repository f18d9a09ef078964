"""maya plan: which ranks of a run were launched, and why."""

from dataclasses import asdict
from pathlib import Path

import typer

from maya.cli import options as opt
from maya.cli.render import print_json
from maya.emulator.explain import explain_plan
from maya.errors import MayaError
from maya.trace import collect


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("plan")(command)


def command(
    path: Path = typer.Argument(metavar="RUN", help="A run directory."),
    json: opt.Json = None,
) -> None:
    """Say which ranks of RUN were launched, and why."""
    about = collect(path).ranks
    if about is None:
        raise MayaError(
            f"{path} was not planned: its command ran as it is",
            hint="`maya run` plans commands of torchrun, accelerate, deepspeed, and python",
        )
    if json:
        print_json(asdict(about), json)
        return
    for line in explain_plan(path, about):
        typer.echo(line)
