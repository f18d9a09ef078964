"""maya export: the predicted timeline for other tools."""

from pathlib import Path

import typer

from maya.cli import options as opt
from maya.cli.predict import progress
from maya.cli.render import stderr
from maya.errors import MayaError
from maya.export import FORMATS, MEMORY, write_failed_memory
from maya.prediction import find_target, predict, predict_again
from maya.summary import read_prediction
from maya.trace import collect

_ABOUT = "; ".join(f"{name}: {made.about}" for name, made in FORMATS.items())


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("export")(command)


def command(
    path: Path = typer.Argument(metavar="RUN", help="A run directory."),
    kind: str = typer.Option("kineto", "--format", help=f"{_ABOUT}."),
    cluster: str | None = typer.Option(
        None, metavar="CLUSTER", help="Predict on this cluster first, as `maya simulate` does."
    ),
    prediction: opt.PredictionName = None,
    output: Path | None = typer.Option(
        None,
        "-o",
        "--output",
        metavar="DIR",
        help="Where to write (default: RUN/FORMAT, or beside the prediction named).",
    ),
) -> None:
    """Write the predicted timeline of RUN for other tools."""
    if kind not in FORMATS:
        raise MayaError(f"unknown format {kind!r}", hint=f"known: {', '.join(FORMATS)}")
    run = collect(path)
    with progress() as say:
        if cluster is not None:
            predict(run, find_target(cluster), progress=say)
        kept = read_prediction(run.directory.path, prediction)
        beside = run.directory.path if prediction is None else kept.directory
        place = output or beside / kind
        if kind == MEMORY and kept.summary.step is None:
            paths = write_failed_memory(run.captures, place)
        else:
            paths = FORMATS[kind].write(predict_again(run, kept.summary, say), place)
    for written in paths:
        stderr.print(f"wrote {written}", soft_wrap=True)
    stderr.print(f"next           {FORMATS[kind].open_with}")
