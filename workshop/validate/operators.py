"""python -m workshop validate ops: estimates of single operators beside published times."""

from pathlib import Path

import typer
from rich.table import Table

from maya.cli.render import stderr, stdout
from workshop.measurements.store import measurements
from workshop.operators.check import check
from workshop.operators.coverage import coverage, record_samples
from workshop.operators.page import SUMMARY_COLUMNS, page, summary_rows
from workshop.operators.sources import find_cases
from workshop.operators.store import record_missing, recordings
from workshop.paths import DOCS

PAGE = DOCS / "operators.md"
_NAMES = 4  # columns of text


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("ops")(command)


def command(
    data: Path | None = typer.Option(None, help="Raw folder, instead of the clone's tables."),
    record: bool = typer.Option(False, "--record", help="Emulate programs not recorded yet."),
    samples: bool = typer.Option(
        False, "--samples", help="Emulate PyTorch's samples of all operators again."
    ),
    write: bool = typer.Option(False, "--write", help="Write docs/operators.md."),
) -> None:
    """Estimate single operators and compare with published times."""
    cases = find_cases(measurements(data))
    if record:
        record_missing(case.program for case in cases)
    if samples:
        record_samples()
    outcomes = check(cases, recordings())
    if len(outcomes) < len(cases):
        stderr.print(f"{len(cases) - len(outcomes)} cases have no record: see --record")
    stdout.print(_table(summary_rows(outcomes)))
    covered = coverage()
    stdout.print(covered.line)
    if write:
        PAGE.write_text(page(outcomes, covered), encoding="utf-8")


def _table(rows: list[tuple[str, ...]]) -> Table:
    table = Table()
    for index, name in enumerate(SUMMARY_COLUMNS):
        table.add_column(name, justify="left" if index < _NAMES else "right")
    for row in rows:
        table.add_row(*row)
    return table
