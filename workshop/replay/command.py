"""python -m workshop replay: simulate profiler traces with their own durations."""

from pathlib import Path

import typer

from maya.cli.render import stdout
from workshop.replay.kineto import Replay, replay


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("replay")(command)


def command(
    traces: list[Path] = typer.Argument(help="Traces of PyTorch's profiler (.json.gz)."),
) -> None:
    """Simulate profiler traces with the durations they recorded; print each step's error."""
    for path in traces:
        stdout.print(line(replay(path)), soft_wrap=True, highlight=False)


def line(done: Replay) -> str:
    """One trace for people."""
    total = sum(done.simulated_ns) / sum(done.real_ns) - 1
    errors = ", ".join(f"{error:+.1%}" for error in done.errors)
    return f"{done.name[:40]:<40} {done.operations:>6} operations, total {total:+.2%}: {errors}"
