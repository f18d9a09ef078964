"""maya diff: what changed between two predictions."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import typer
from rich.markup import escape
from rich.table import Table

from maya.analyze.diff import Change, KernelChange, compare
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
    stdout.print(f"{escape(found.clusters[0])} -> {escape(found.clusters[1])}", highlight=False)
    for title, changes in (
        ("total", found.totals),
        ("critical path, ms", [change for change in found.path if change.difference]),
        ("kernel, ms a step", [change for change in found.kernels if change.difference][:top]),
    ):
        if changes:
            stdout.print()
            stdout.print(_table(title, changes))


def _table(title: str, changes: Sequence[Change]) -> Table:
    table = Table(title, box=None, pad_edge=False)
    for column in ("before", "after", "change", ""):
        table.add_column(column, justify="right")
    caused = any(isinstance(change, KernelChange) for change in changes)
    if caused:
        table.add_column("because")
    for change in changes:
        share = f"{change.difference / change.before:+.1%}" if change.before else ""
        because = [change.cause] if isinstance(change, KernelChange) else []
        table.add_row(
            escape(change.name),
            _text(change.before),
            _text(change.after),
            f"{change.difference:+,.4g}",
            share,
            *because,
        )
    return table


def _text(number: float | None) -> str:
    return "-" if number is None else f"{number:,.4g}"
