"""maya simulate: predict a recorded run on another cluster."""

from pathlib import Path

import typer

from maya.cli import options as opt
from maya.cli.compare import compare
from maya.cli.predict import Telling, answer
from maya.cli.slow_nodes import slow_nodes
from maya.prediction import CLUSTER_VARIABLE, find_target, prediction_options
from maya.trace import collect


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("simulate")(command)


def command(
    path: Path = typer.Argument(metavar="RUN", help="A run directory."),
    cluster: str = typer.Option(
        ...,
        envvar=CLUSTER_VARIABLE,
        help="GPU and GPUs per node (h100:8), with nodes (h100:8x4), or a YAML file; several, with "
        "commas, are compared.",
    ),
    host: opt.Host = None,
    host_scale: opt.HostScale = 1.0,
    tokens_per_step: opt.TokensPerStep = None,
    samples_per_step: opt.SamplesPerStep = None,
    share_links: opt.ShareLinks = True,
    overlap_slowdown: opt.OverlapSlowdown = True,
    ideal: opt.Ideal = False,
    measurements: opt.Measurements = None,
    mask_density: opt.MaskDensity = None,
    every_rank: opt.EveryRank = False,
    jitter: opt.Jitter = 0.0,
    slow_node: opt.SlowNode = None,
    seed: opt.Seed = 0,
    trials: opt.Trials = 10,
    json: opt.Json = None,
    quiet: opt.Quiet = False,
    verbose: opt.Verbose = False,
) -> None:
    """Predict RUN on CLUSTER without emulating it again."""
    targets = [find_target(name, host) for name in cluster.split(",")]
    options = prediction_options(
        host_scale=host_scale,
        tokens_per_step=tokens_per_step,
        samples_per_step=samples_per_step,
        share_links=share_links,
        overlap_slowdown=overlap_slowdown,
        ideal=ideal,
        measurements=measurements,
        mask_density=mask_density,
        every_rank=every_rank,
        jitter=jitter,
        slow_node=slow_nodes(slow_node),
        seed=seed,
        trials=trials,
    )
    run = collect(path)
    if len(targets) == 1:
        raise typer.Exit(answer(run, targets[0], options, Telling(json, quiet, verbose)))
    raise typer.Exit(compare(run, targets, options, json=json))
