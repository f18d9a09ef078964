"""maya export: the predicted timeline for other tools."""

from pathlib import Path

import typer

from maya.analyze import predict, read_summary
from maya.analyze.checks import check_run
from maya.cli.predict import progress
from maya.cli.render import stderr
from maya.errors import MayaError
from maya.export import write_kineto
from maya.hardware import find_cluster
from maya.trace import collect

_FORMATS = ("kineto",)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("export")(command)


def command(
    path: Path = typer.Argument(metavar="RUN", help="A run directory."),
    kind: str = typer.Option("kineto", "--format", help="kineto: traces of PyTorch's profiler."),
    cluster: str | None = typer.Option(None, help="Default: that of the last prediction."),
    output: Path | None = typer.Option(None, "-o", "--output", help="Default: RUN/kineto."),
) -> None:
    """Write the timeline of RUN, as simulated, one file for each launched rank."""
    if kind not in _FORMATS:
        raise MayaError(f"unknown format {kind!r}", hint=f"known: {', '.join(_FORMATS)}")
    run = collect(path)
    check_run(run)
    target = find_cluster(cluster or str(read_summary(path)["cluster"]))
    with progress() as say:
        prediction = predict(run, target, progress=say)
    for written in write_kineto(prediction, output or path / kind):
        stderr.print(f"wrote {written}", soft_wrap=True)
    stderr.print("next           open it in ui.perfetto.dev or chrome://tracing, or with HTA")
