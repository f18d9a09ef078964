"""maya report: show the prediction of a run again."""

from pathlib import Path

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
    stdout.print(_table(read_table(path)[:top]))


def _table(rows: list[Row]) -> Table:
    table = Table("kernel", "kind", box=None, pad_edge=False)
    for column in ("calls", "time a step"):
        table.add_column(column, justify="right")
    table.add_column("duration from")
    for row in rows:
        table.add_row(
            escape(row.name), row.kind, f"{row.calls:g}", duration(row.time_ms), row.source
        )
    return table
