"""maya report: show the prediction of a run again."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer
from rich.markup import escape
from rich.table import Table

from maya.analyze import read_summary
from maya.analyze.tables import Row, read_table
from maya.cli.render import print_json, stdout
from maya.report import duration, summary_lines


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("report")(command)


def command(
    path: Path = typer.Argument(metavar="RUN", help="A run directory."),
    top: int = typer.Option(15, min=1, help="Kernels to show."),
    json: bool = typer.Option(False, "--json", help="Print summary.json."),
) -> None:
    """Show the prediction that `maya run` or `maya simulate` left in RUN."""
    summary = read_summary(path)
    if json:
        print_json(summary)
        return
    for line in summary_lines(summary):
        stdout.print(line, soft_wrap=True, highlight=False)
    if summary["step"] is None:  # it never got to a step: there is nothing more to show
        return
    stdout.print()
    stdout.print(_path_table(summary["critical_path"], top))
    stdout.print()
    stdout.print(_kernel_table(read_table(path)[:top]))


def _path_table(path: Mapping[str, Any], top: int) -> Table:
    table = Table("on the critical path", "category", box=None, pad_edge=False)
    for column in ("times", "time", "share"):
        table.add_column(column, justify="right")
    total = sum(path["categories_ms"].values())
    for part in path["top"][:top]:
        share = f"{part['time_ms'] / total:.1%}"
        table.add_row(
            escape(part["name"]),
            part["category"],
            f"{part['count']:,}",
            duration(part["time_ms"]),
            share,
        )
    return table


def _kernel_table(rows: list[Row]) -> Table:
    table = Table("kernel", "kind", box=None, pad_edge=False)
    for column in ("calls", "time a step"):
        table.add_column(column, justify="right")
    table.add_column("duration from")
    for row in rows:
        table.add_row(
            escape(row.name), row.kind, f"{row.calls:g}", duration(row.time_ms), row.source
        )
    return table
