"""python -m workshop replay: simulate profiler traces with their own durations."""

from collections.abc import Iterator
from pathlib import Path

import typer

from maya.cli.render import stdout
from workshop.measurements.store import measurements
from workshop.replay.kineto import Replay, replay, replay_file

_STORED = "kernels/*_traces/raw/*.json.gz"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("replay")(command)


def command(
    traces: list[Path] | None = typer.Argument(
        None, help="Traces of PyTorch's profiler (.json.gz); default: those of workshop/data."
    ),
) -> None:
    """Simulate profiler traces with the durations they recorded; print each step's error."""
    for done in map(replay_file, traces) if traces else replay_stored():
        stdout.print(line(done), soft_wrap=True, highlight=False)


def stored_traces() -> list[str]:
    """Traces among the measurements."""
    return measurements().files(_STORED)


def replay_stored() -> Iterator[Replay]:
    """Every one of them."""
    for file in stored_traces():
        yield replay(Path(file).name, measurements().rows_of(file))


def line(done: Replay) -> str:
    """One trace for people."""
    total = sum(done.simulated_ns) / sum(done.real_ns) - 1
    errors = ", ".join(f"{error:+.1%}" for error in done.errors)
    return f"{done.name[:40]:<40} {done.operations:>6} operations, total {total:+.2%}: {errors}"
