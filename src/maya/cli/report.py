"""maya report: show the prediction of a run again."""

from pathlib import Path

import typer

from maya.analyze import read_summary
from maya.cli.render import print_json, stdout
from maya.report import summary_lines


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("report")(command)


def command(
    path: Path = typer.Argument(metavar="RUN", help="A run directory."),
    json: bool = typer.Option(False, "--json", help="Print summary.json."),
) -> None:
    """Show the prediction that `maya run` or `maya simulate` left in RUN."""
    summary = read_summary(path)
    if json:
        print_json(summary)
        return
    for line in summary_lines(summary):
        stdout.print(line, soft_wrap=True, highlight=False)
