"""maya report: show the prediction of a run again."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from maya.cli import options as opt
from maya.cli.pages import deliver
from maya.cli.predict import Telling, print_answer, progress
from maya.cli.render import print_json, print_text, stdout
from maya.errors import MayaError
from maya.page import Page, run_page
from maya.prediction import predict_again
from maya.report import duration
from maya.rundir import names
from maya.summary import KernelRow, Summary, describe_kept, prediction_name, read_prediction
from maya.summary.figures import PathShares
from maya.trace import Run, collect

Html = Annotated[
    bool,
    typer.Option("--html", help="Write it as one HTML page with a timeline: RUN/report.html."),
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("report")(command)


def command(
    path: Path | None = typer.Argument(None, metavar="RUN", help="A run directory."),
    top: int = typer.Option(15, min=1, metavar="N", help="How many kernels to list."),
    prediction: opt.PredictionName = None,
    json: opt.Json = None,
    quiet: opt.Quiet = False,
    verbose: opt.Verbose = False,
    schema: bool = typer.Option(False, "--schema", help="Print the JSON Schema of summary.json."),
    html: Html = False,
    output: opt.PageFile = None,
    open_page: opt.OpenPage = False,
) -> None:
    """Show the prediction of RUN again, or as a page (--html)."""
    if schema:
        return print_json(Summary.schema())
    if path is None:
        raise MayaError("no run directory given", hint="maya report maya-runs/...")
    kept = read_prediction(path, prediction)
    if html or open_page or output is not None:
        beside = path if prediction is None else kept.directory
        page = _page(collect(path), kept.summary)
        return deliver(page, output or beside / names.PAGE, open_page)
    summary = kept.summary
    if json:
        return print_text(summary.to_json(), json)
    print_answer(stdout, summary, Telling(quiet=quiet, verbose=verbose))
    if quiet:
        return None
    if summary.critical_path is not None:  # else it never got to a step
        stdout.print()
        stdout.print(_path_table(summary.critical_path, top))
        stdout.print()
        stdout.print(_kernel_table(kept.kernels()[:top]))
    return _tell_others(path, prediction_name(summary.cluster, summary.options))


def _page(run: Run, summary: Summary) -> Page:
    with progress() as say:
        found = predict_again(run, summary, say) if summary.step else None
        return run_page(summary, found, captures=run.captures)


def _tell_others(path: Path, shown: str) -> None:
    described = {name: how for name, how in describe_kept(path).items() if name != shown}
    if others := [f"{name} ({how})" if how else name for name, how in described.items()]:
        stdout.print()
        stdout.print(
            f"other predictions (--prediction): {escape(', '.join(others))}", soft_wrap=True
        )


def _path_table(path: PathShares, top: int) -> Table:
    table = Table("on the critical path", "category", box=None, pad_edge=False)
    for column in ("times", "time", "share"):
        table.add_column(column, justify="right")
    total = sum(path.categories_ms.values())
    for part in path.top[:top]:
        table.add_row(
            escape(part.name),
            escape(part.category),
            f"{part.count:,}",
            duration(part.time_ms),
            f"{part.time_ms / total:.1%}" if total else "",
        )
    return table


def _kernel_table(rows: Sequence[KernelRow]) -> Table:
    table = Table("kernel", "kind", box=None, pad_edge=False)
    for column in ("calls", "time a step"):
        table.add_column(column, justify="right")
    table.add_column("duration from")
    for row in rows:
        table.add_row(
            escape(row.name),
            escape(row.kind),
            f"{row.calls:g}",
            duration(row.time_ms),
            escape(row.source),
        )
    return table
