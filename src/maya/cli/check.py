"""maya check: hold a prediction against limits, for scripts and CI."""

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path

import typer
from rich.table import Table

from maya.analyze.diff import compare
from maya.analyze.limits import Limits, Verdict, judge
from maya.cli import options as opt
from maya.cli.render import print_json, print_text, stdout
from maya.errors import ExitCode
from maya.report import answer_line
from maya.report.check_text import check_junit, check_markdown, figure
from maya.summary import read_prediction


class CheckFormat(StrEnum):
    """For people, for a pull request, for a CI server."""

    TABLE = "table"
    MARKDOWN = "markdown"
    JUNIT = "junit"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("check")(command)


def command(
    path: Path = typer.Argument(metavar="RUN", help="A run directory with a prediction."),
    max_step_ms: float | None = typer.Option(None, min=0.0, metavar="MS", help="Longest step."),
    max_memory_gb: float | None = typer.Option(
        None, min=0.0, metavar="GIB", help="Most memory that PyTorch may reserve on a GPU."
    ),
    min_headroom_gb: float | None = typer.Option(
        None, metavar="GIB", help="Least memory left free on a GPU."
    ),
    min_mfu: float | None = typer.Option(
        None, min=0.0, max=1.0, metavar="SHARE", help="Least MFU: 0.4 is 40%."
    ),
    max_exposed_ms: float | None = typer.Option(
        None, min=0.0, metavar="MS", help="Most exposed communication."
    ),
    max_usd_per_step: float | None = typer.Option(
        None, min=0.0, metavar="USD", help="Most dollars for a step."
    ),
    min_tokens_per_s: float | None = typer.Option(
        None, min=0.0, metavar="N", help="Fewest tokens per second."
    ),
    min_samples_per_s: float | None = typer.Option(
        None, min=0.0, metavar="N", help="Fewest samples per second."
    ),
    prediction: opt.PredictionName = None,
    base: Path | None = typer.Option(
        None, metavar="RUN", help="Also compare with this run: what changed, and why."
    ),
    kind: CheckFormat = typer.Option(
        CheckFormat.TABLE, "--format", help="How to print the result."
    ),
    json: opt.Json = None,
) -> None:
    """Exit 4 if RUN does not fit its GPUs or misses a limit."""
    limits = Limits(
        max_step_ms,
        max_memory_gb,
        min_headroom_gb,
        min_mfu,
        max_exposed_ms,
        max_usd_per_step,
        min_tokens_per_s,
        min_samples_per_s,
    )
    kept = read_prediction(path, prediction)
    verdicts = judge(kept.summary, limits)
    difference = compare(read_prediction(base), kept) if base else None
    answer = answer_line(kept.summary)
    if json:
        print_json([asdict(verdict) for verdict in verdicts], json)
    elif kind is CheckFormat.JUNIT:
        print_text(check_junit(answer, verdicts))
    elif kind is CheckFormat.MARKDOWN or difference is not None:
        print_text(check_markdown(answer, verdicts, difference))
    else:
        stdout.print(_table(verdicts))
    if not all(verdict.good for verdict in verdicts):
        raise typer.Exit(ExitCode.CHECK_FAILED)


def _table(verdicts: list[Verdict]) -> Table:
    table = Table("figure", box=None, pad_edge=False)
    for column in ("predicted", "limit"):
        table.add_column(column, justify="right")
    table.add_column("")
    for verdict in verdicts:
        good = "[green]ok[/]" if verdict.good else "[bold red]MISSED[/]"
        table.add_row(verdict.name, figure(verdict), f"{verdict.limit:,.4g}", good)
    return table
