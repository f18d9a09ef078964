"""maya diff: what changed between two predictions."""

from dataclasses import asdict
from pathlib import Path

import typer
from rich.markup import escape
from rich.table import Table

from maya.analyze.diff import Change, compare
from maya.cli.render import print_json, stdout


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("diff")(command)


def command(
    before: Path = typer.Argument(metavar="A", help="A run directory with a prediction."),
    after: Path = typer.Argument(metavar="B", help="Another."),
    top: int = typer.Option(15, min=1, help="Kernels to show."),
    json: bool = typer.Option(False, "--json", help="Print everything as JSON."),
) -> None:
    """Show what changed from A to B, and which kernels caused it."""
    found = compare(before, after)
    if json:
        print_json(asdict(found))
        return
    stdout.print(_table("total", found.totals))
    changed = [change for change in found.kernels if change.difference]
    if changed:
        stdout.print(_table("kernel, ms a step", tuple(changed[:top])))


def _table(title: str, changes: tuple[Change, ...]) -> Table:
    table = Table(title, box=None, pad_edge=False)
    for column in ("before", "after", "change"):
        table.add_column(column, justify="right")
    for change in changes:
        share = f" ({change.difference / change.before:+.1%})" if change.before else ""
        table.add_row(
            escape(change.name),
            f"{change.before:,.4g}",
            f"{change.after:,.4g}",
            f"{change.difference:+,.4g}{share}",
        )
    return table
