"""maya run: emulate a command and predict it on a cluster."""

import typer

from maya.analyze import Options
from maya.analyze.summary import script_ran_out_of_memory
from maya.cli import options as opt
from maya.cli.predict import answer, chain_with, emulating, target_cluster
from maya.cli.render import stderr
from maya.cli.summary import print_ending, print_summary
from maya.cli.variation import variation_of
from maya.emulate import EmulationOptions, EmulationResult, emulate
from maya.errors import ExitCode
from maya.trace import Run, collect


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("run", context_settings={"ignore_unknown_options": False})(command)


def command(
    words: list[str] = typer.Argument(
        None, metavar="-- COMMAND...", help="The command, as you would run it on the cluster."
    ),
    cluster: str = typer.Option(
        "h100:1", help="gpu:per_node or gpu:per_nodexnodes (h100:8x4), or a YAML file."
    ),
    host: opt.Host = None,
    host_scale: opt.HostScale = 1.0,
    tokens_per_step: opt.TokensPerStep = None,
    samples_per_step: opt.SamplesPerStep = None,
    share_links: opt.ShareLinks = True,
    overlap_slowdown: opt.OverlapSlowdown = True,
    steps: int = typer.Option(3, min=1, help="Steady steps to record."),
    max_seconds: opt.MaxSeconds = 600.0,
    strict: opt.Strict = False,
    ranks: str | None = typer.Option(None, help="Launch these ranks only: 0,8,16-23."),
    all_ranks: bool = typer.Option(False, "--all-ranks", help="Launch every rank."),
    routing: opt.Routing = "balanced",
    output: opt.Output = None,
    force: opt.Force = False,
    measurements: opt.Measurements = None,
    mask_density: opt.MaskDensity = 0.5,
    every_rank: opt.EveryRank = False,
    jitter: opt.Jitter = 0.0,
    slow_node: opt.SlowNode = None,
    seed: opt.Seed = 0,
    trials: opt.Trials = 10,
    json: opt.Json = False,
) -> None:
    """Run COMMAND without GPUs and say what it would do on CLUSTER."""
    target = target_cluster(cluster, host)
    variation = variation_of(every_rank, jitter, slow_node or (), seed, trials)
    chain = chain_with(measurements, mask_density)
    prediction = Options(host_scale, share_links, overlap_slowdown, chain, variation)
    with emulating():
        result = emulate(
            words or [],
            EmulationOptions(
                gpu=target.gpu,
                gpus=target.per_node,
                nodes=target.nodes,
                ranks=ranks,
                all_ranks=all_ranks,
                say=lambda text: stderr.print(f"[bold]maya:[/] {text}", soft_wrap=True),
                steps=steps,
                max_seconds=max_seconds,
                strict=strict,
                routing=routing,
                output=output,
                force=force,
            ),
        )
    run = recorded(result)
    if not script_ran_out_of_memory(run):
        print_ending(result)
    raise typer.Exit(answer(run, target, prediction, tokens_per_step, samples_per_step, json=json))


def recorded(result: EmulationResult) -> Run:
    """What the program left; the command ends here where that is nothing to predict from."""
    run = collect(result.run_dir) if result.captures else None
    if run and (result.status == ExitCode.OK or script_ran_out_of_memory(run)):
        return run
    print_summary(result)
    raise typer.Exit(result.status or ExitCode.ERROR)
