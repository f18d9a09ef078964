"""What `run`, `simulate` and `report` share: predicting and printing."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from maya.cli.render import print_rows, print_text, print_wrapped, stderr
from maya.cli.status_line import StatusLine
from maya.emulator import EmulationOptions
from maya.errors import ExitCode, MayaError
from maya.hardware import Cluster, find_cluster
from maya.prediction import Progress, predict
from maya.report import answer_line, summary_lines
from maya.summary import PredictionOptions, Summary
from maya.trace import Run


@dataclass(frozen=True, slots=True)
class Telling:
    """How much is said, and where the answer goes as data."""

    json: Path | None = None
    quiet: bool = False
    verbose: bool = False


def answer(run: Run, target: Cluster, options: PredictionOptions, telling: Telling) -> ExitCode:
    """Predict a run and print what came out."""
    with progress() as say:
        found = predict(run, target, options, say)
    return show(found.summary, run.directory.path, telling)


def show(summary: Summary, path: Path, telling: Telling) -> ExitCode:
    """Print a summary; the exit code says whether it fits, and whether there is a step."""
    if telling.json:
        print_text(summary.to_json(), telling.json)
    print_answer(stderr, summary, telling)
    if not telling.quiet:
        for command in _next(summary, path):
            stderr.print(f"next           [bold]{escape(command)}[/]", soft_wrap=True)
    return exit_code(summary)


def print_answer(console: Console, summary: Summary, telling: Telling) -> None:
    """The answer in one line, then its figures."""
    style = "bold red" if summary.memory.oom or summary.step is None else "bold green"
    print_wrapped(console, f"[{style}]{escape(answer_line(summary))}[/]")
    if not telling.quiet:
        console.print()
        print_rows(console, summary_lines(summary, verbose=telling.verbose))


def exit_code(summary: Summary) -> ExitCode:
    """What a command that predicts ends with."""
    if summary.memory.oom:
        return ExitCode.OUT_OF_MEMORY
    return ExitCode.NO_STEP if summary.step is None else ExitCode.OK


def _next(summary: Summary, path: Path) -> list[str]:
    """What a person would type now."""
    where = shlex.quote(str(_shown(path)))
    if summary.memory.oom:
        return [f"maya report {where} --open", f"maya inspect {where}"]
    if summary.step is None:
        return [f"maya report {where}", f"maya inspect {where}"]
    gpu = "h100" if summary.emulation.gpu != "h100" else "b200"
    other = f"{gpu}:{summary.cluster.name.rpartition(':')[2]}"
    return [f"maya report {where} --open", *_simulations(where, other)]


def _shown(path: Path) -> Path:
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _simulations(where: str, cluster: str) -> list[str]:
    """The same shape of another GPU, where there is such a cluster."""
    try:
        return [f"maya simulate {where} --cluster {find_cluster(cluster).name}"]
    except MayaError:
        return []


@contextmanager
def progress() -> Iterator[Progress]:
    """A line on stderr that says what goes on; nothing where nobody looks."""
    if not stderr.is_terminal:
        yield lambda _: None
        return
    with stderr.status("reading captures") as status:
        yield status.update


@contextmanager
def watching(options: EmulationOptions) -> Iterator[EmulationOptions]:
    """The same while the script runs, below what it prints."""
    if not stderr.is_terminal:
        yield options
        return
    with StatusLine() as line:
        yield replace(options, enough=line.watch)
