"""maya diff: what changed between two predictions."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import typer
from rich.markup import escape
from rich.table import Table

from maya.analyze.diff import Change, KernelChange, compare
from maya.cli.render import print_json, stdout

_LEAST_MS = 1e-6  # a nanosecond: below lies only how sums were rounded
_GIB = 2**30


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
        ("total", [_readable(change) for change in found.totals if change.before or change.after]),
        ("critical path, ms", _notable(found.path)),
        ("kernel, ms a step", _notable(found.kernels)[:top]),
    ):
        if changes:
            stdout.print()
            stdout.print(_table(title, changes))


def _notable(changes: Sequence[Change]) -> list[Change]:
    return [change for change in changes if abs(change.difference) >= _LEAST_MS]


def _readable(change: Change) -> Change:
    """Bytes as GiB: scientific notation says nothing."""
    if not change.name.endswith("bytes"):
        return change
    sides = [None if side is None else side / _GIB for side in (change.before, change.after)]
    return Change(change.name.replace("bytes", "GiB"), *sides)


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
