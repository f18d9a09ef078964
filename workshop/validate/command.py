"""python -m workshop validate: predictions beside published measurements."""

from pathlib import Path

import typer
from rich.table import Table

from maya.cli.render import stderr, stdout
from maya.errors import MayaError
from workshop.measurements.store import measurements
from workshop.paths import DOCS
from workshop.validate import operators, recipes_command
from workshop.validate.case import Outcome
from workshop.validate.check import check
from workshop.validate.emulation import Emulator, cache_root
from workshop.validate.page import SUMMARY_COLUMNS, page, summary_rows
from workshop.validate.published import as_published, published
from workshop.validate.sources import SOURCES, find_cases

PAGE = DOCS / "accuracy.md"
LANGUAGE_PAGE = DOCS / "accuracy-language.md"


def register(app: typer.Typer) -> None:
    """Add the command, whole steps by itself and single operators below it."""
    group = typer.Typer(invoke_without_command=True)
    group.callback()(command)
    operators.register(group)
    recipes_command.register(group)
    app.add_typer(group, name="validate")


def command(
    context: typer.Context,
    data: Path | None = typer.Option(None, help="Raw folder, instead of the clone's tables."),
    source: list[str] | None = typer.Option(None, help="Only this source; may be repeated."),
    language: bool = typer.Option(
        False, "--language", help="Only training of language models, which has a page of its own."
    ),
    cases: str = typer.Option("all", help="At most so many cases of each source, or `all`."),
    only: str = typer.Option("all", help="`seen` or `unseen` cases, or `all`."),
    jobs: int = typer.Option(2, min=1, help="Cases at a time."),
    reuse: bool = typer.Option(False, "--reuse", help="Estimate runs that are kept again."),
    emulate: bool = typer.Option(True, help="Emulate cases that have no run that is kept."),
    keep_published: bool = typer.Option(
        False,
        "--keep-published",
        help="Cases without a run keep the row that the page has of them.",
    ),
    write: bool = typer.Option(False, "--write", help="Write docs/accuracy.md."),
) -> None:
    """Repeat published training steps under the emulator and compare."""
    if context.invoked_subcommand:
        return
    if write and (source or cases != "all" or only != "all"):
        raise MayaError("--write needs every case", hint="leave out --source, --cases and --only")
    if language:
        source = [name for name, known in SOURCES.items() if known.language]
    chosen = find_cases(measurements(data), source, _limit(cases), _set(only))
    target = LANGUAGE_PAGE if language else PAGE
    rows = published(target) if keep_published else {}
    outcomes: list[Outcome] = []
    emulator = Emulator(reuse or not emulate, cache_root(), emulate)
    for found in check(chosen, emulator, jobs):
        outcome = as_published(found, rows)
        outcomes.append(outcome)
        stderr.print(_line(outcome, len(outcomes), len(chosen)), soft_wrap=True, highlight=False)
    stdout.print(_table(outcomes))
    if write:
        target.write_text(page(outcomes), encoding="utf-8")


def _limit(cases: str) -> int | None:
    if cases == "all":
        return None
    if not cases.isdigit() or not int(cases):
        raise MayaError(f"--cases {cases} is no number", hint="give a number above 0, or all")
    return int(cases)


def _set(only: str) -> bool | None:
    if only not in ("all", "seen", "unseen"):
        raise MayaError(f"--only {only} is unknown", hint="give seen, unseen or all")
    return None if only == "all" else only == "seen"


def _line(outcome: Outcome, number: int, total: int) -> str:
    case = outcome.case
    head = f"{number}/{total} {case.source} {case.name} on {case.cluster}: "
    if outcome.failure:
        return head + f"failed: {outcome.failure}"
    times = f"measured {case.measured_ms:.1f} ms, predicted {outcome.predicted_ms:.1f} ms"
    return head + f"{times} ({outcome.error:+.1%}, {outcome.bound}-bound)"


def _table(outcomes: list[Outcome]) -> Table:
    table = Table()
    for index, name in enumerate(SUMMARY_COLUMNS):
        table.add_column(name, justify="left" if index < 2 else "right")
    for row in summary_rows(outcomes):
        table.add_row(*row)
    return table
