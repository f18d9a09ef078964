"""maya diff: what changed between two predictions."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from maya.analyze.diff import Change, KernelChange, compare
from maya.cli import options as opt
from maya.cli.pages import deliver
from maya.cli.predict import progress
from maya.cli.render import print_json, print_wrapped, stdout
from maya.page import Page, Side, diff_page, difference_line
from maya.prediction import predict_again
from maya.report.check_text import LEAST_MS, number_text, readable
from maya.rundir import names
from maya.summary import KeptPrediction, read_prediction
from maya.trace import collect

Html = Annotated[
    bool, typer.Option("--html", help="Write both side by side as one page: B/diff.html.")
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("diff")(command)


def command(
    before: Path = typer.Argument(metavar="A", help="A run directory with a prediction."),
    after: Path = typer.Argument(metavar="B", help="Another."),
    top: int = typer.Option(15, min=1, metavar="N", help="How many kernels to list."),
    prediction: str | None = typer.Option(
        None, metavar="NAME", help="Which prediction of A (default: the last)."
    ),
    after_prediction: str | None = typer.Option(
        None, metavar="NAME", help="Which prediction of B (default: the last)."
    ),
    json: opt.Json = None,
    html: Html = False,
    output: opt.PageFile = None,
    open_page: opt.OpenPage = False,
) -> None:
    """Show what changed from A to B, and which kernels caused it."""
    kept = read_prediction(before, prediction), read_prediction(after, after_prediction)
    if html or open_page or output is not None:
        return deliver(_page((before, after), kept), output or after / names.DIFF_PAGE, open_page)
    found = compare(*kept)
    if json:
        return print_json(asdict(found), json)
    sides = [Side(*one, None) for one in zip(_names((before, after), kept), kept, strict=True)]
    print_wrapped(stdout, f"[bold]{escape(difference_line(sides[0], sides[1], found.path))}[/]")
    print_wrapped(stdout, f"From {escape(found.clusters[0])} to {escape(found.clusters[1])}:")
    for title, changes in (
        ("total", [readable(change) for change in found.totals if change.before or change.after]),
        ("critical path, ms", _notable(found.path)),
        ("kernel, ms a step", _notable(found.kernels)[:top]),
    ):
        if changes:
            stdout.print()
            stdout.print(_table(title, changes))
    return None


def _page(paths: tuple[Path, Path], kept: tuple[KeptPrediction, KeptPrediction]) -> Page:
    sides = []
    with progress() as say:
        for name, path, side in zip(_names(paths, kept), paths, kept, strict=True):
            again = predict_again(collect(path), side.summary, say) if side.summary.step else None
            sides.append(Side(name, side, again))
        return diff_page(*sides)


def _names(paths: Sequence[Path], kept: Sequence[KeptPrediction]) -> list[str]:
    """Of the runs; of the clusters where it is one run."""
    runs = [path.resolve().name for path in paths]
    clusters = [one.summary.cluster.name for one in kept]
    if runs[0] != runs[1]:
        return runs
    return clusters if clusters[0] != clusters[1] else [f"{runs[0]} (A)", f"{runs[1]} (B)"]


def _notable(changes: Sequence[Change]) -> list[Change]:
    return [change for change in changes if abs(change.difference) >= LEAST_MS]


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
            number_text(change.before),
            number_text(change.after),
            ("" if change.difference < 0 else "+") + number_text(change.difference),
            share,
            *because,
        )
    return table
