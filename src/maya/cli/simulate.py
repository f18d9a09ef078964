"""maya simulate: predict a recorded run on another cluster."""

from pathlib import Path

import typer

from maya.analyze import Options
from maya.analyze.summary import script_ran_out_of_memory
from maya.cli.oom import report_out_of_memory
from maya.cli.predict import chain_with, predict_run, show
from maya.hardware import find_cluster, find_host
from maya.trace import collect


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("simulate")(command)


def command(
    path: Path = typer.Argument(metavar="RUN", help="A run directory."),
    cluster: str = typer.Option(..., help="gpu:per_node[xnodes], or a YAML file."),
    host: str | None = typer.Option(None, help="CPU profile. [default: the cluster's own]"),
    host_scale: float = typer.Option(1.0, min=0.0, help="Multiplies CPU time."),
    tokens_per_step: float | None = typer.Option(None, help="For tokens per second."),
    samples_per_step: float | None = typer.Option(None, help="For samples per second."),
    share_links: bool = typer.Option(True, help="Transfers at the same time share links."),
    overlap_slowdown: bool = typer.Option(True, help="Overlapping work slows down."),
    measurements: Path | None = typer.Option(
        None, help="CSV or Parquet file of measured kernels, believed before any estimate."
    ),
    json: bool = typer.Option(False, "--json", help="Print summary.json on stdout."),
) -> None:
    """Predict RUN on CLUSTER without emulating it again."""
    target = find_cluster(cluster)
    chain = chain_with(measurements)
    if host:
        target = target.model_copy(update={"host": find_host(host)})
    run = collect(path)
    if script_ran_out_of_memory(run):
        raise typer.Exit(report_out_of_memory(run, target, json=json))
    summary = predict_run(
        run,
        target,
        Options(host_scale, share_links, overlap_slowdown, chain),
        tokens_per_step=tokens_per_step,
        samples_per_step=samples_per_step,
    )
    raise typer.Exit(show(summary, path, json=json))
