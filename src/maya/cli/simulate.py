"""maya simulate: predict a recorded run on another cluster."""

from pathlib import Path

import typer

from maya.analyze import Options
from maya.cli import options as opt
from maya.cli.predict import answer, chain_with, target_cluster
from maya.cli.variation import variation_of
from maya.trace import collect


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("simulate")(command)


def command(
    path: Path = typer.Argument(metavar="RUN", help="A run directory."),
    cluster: str = typer.Option(..., help="gpu:per_node[xnodes], or a YAML file."),
    host: opt.Host = None,
    host_scale: opt.HostScale = 1.0,
    tokens_per_step: opt.TokensPerStep = None,
    samples_per_step: opt.SamplesPerStep = None,
    share_links: opt.ShareLinks = True,
    overlap_slowdown: opt.OverlapSlowdown = True,
    measurements: opt.Measurements = None,
    mask_density: opt.MaskDensity = 0.5,
    every_rank: opt.EveryRank = False,
    jitter: opt.Jitter = 0.0,
    slow_node: opt.SlowNode = None,
    seed: opt.Seed = 0,
    trials: opt.Trials = 10,
    json: opt.Json = False,
) -> None:
    """Predict RUN on CLUSTER without emulating it again."""
    target = target_cluster(cluster, host)
    variation = variation_of(every_rank, jitter, slow_node or (), seed, trials)
    chain = chain_with(measurements, mask_density)
    options = Options(host_scale, share_links, overlap_slowdown, chain, variation)
    run = collect(path)
    raise typer.Exit(answer(run, target, options, tokens_per_step, samples_per_step, json=json))
