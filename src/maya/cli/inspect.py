"""maya inspect: what is in a capture."""

from enum import StrEnum
from pathlib import Path

import typer

from maya.cli import options as opt
from maya.cli.inspect_tables import print_tables, tables_json
from maya.cli.render import print_json
from maya.trace import collect, summarize


class Sort(StrEnum):
    """Orders of the tables."""

    COUNT = "count"
    NAME = "name"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("inspect")(command)


def command(
    path: Path = typer.Argument(help="A run directory or a .maya file."),
    top: int = typer.Option(20, min=1, help="Rows per table."),
    sort: Sort = typer.Option(Sort.COUNT, help="Order of the rows."),
    json: opt.Json = None,
) -> None:
    """Print what was recorded: kernels, library calls, transfers."""
    summary = summarize(collect(path).captures)
    if json:
        print_json(tables_json(summary), json)
    else:
        print_tables(summary, top=top, by_name=sort is Sort.NAME)
