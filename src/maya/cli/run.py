"""maya run: emulate a command and predict it on a cluster."""

import os
import shlex
from pathlib import Path

import typer
from rich.markup import escape

from maya.cli import options as opt
from maya.cli.interrupt import keeping
from maya.cli.predict import Telling, answer, watching
from maya.cli.render import stderr
from maya.cli.slow_nodes import slow_nodes
from maya.cli.summary import print_ending, print_summary
from maya.emulator import EmulationOptions, check_script
from maya.errors import ExitCode
from maya.hardware import Cluster
from maya.prediction import (
    CLUSTER_VARIABLE,
    Assignment,
    Recording,
    RecordingFailedError,
    assignment,
    check_slow_nodes,
    chosen_clock,
    find_target,
    prediction_options,
    record,
)
from maya.summary import PredictionOptions


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("run", context_settings={"allow_interspersed_args": False})(command)


def command(
    context: typer.Context,
    words: list[str] = typer.Argument(
        None, metavar="-- COMMAND...", help="The command, as you would run it on the cluster."
    ),
    cluster: str | None = typer.Option(
        None,
        metavar="CLUSTER",
        help="GPU and GPUs per node (h100:8), with nodes (h100:8x4), or a YAML file. Default: that "
        "of the job file, else MAYA_CLUSTER, else cluster in maya.toml, else h100:1.",
    ),
    job: Path | None = typer.Option(
        None,
        "--from",
        metavar="FILE",
        help="Take command, cluster and environment from a Slurm script, a SkyPilot task, "
        "a torchx application, or a PyTorchJob, TrainJob, JobSet or Job of Kubernetes.",
    ),
    host: opt.Host = None,
    host_scale: opt.HostScale = 1.0,
    tokens_per_step: opt.TokensPerStep = None,
    samples_per_step: opt.SamplesPerStep = None,
    share_links: opt.ShareLinks = True,
    overlap_slowdown: opt.OverlapSlowdown = True,
    ideal: opt.Ideal = False,
    steps: int = typer.Option(3, min=1, metavar="N", help="Steady steps to record."),
    max_seconds: opt.MaxSeconds = 600.0,
    strict: opt.Strict = False,
    ranks: str | None = typer.Option(
        None, metavar="LIST", help="Launch these ranks only: 0,8,16-23."
    ),
    all_ranks: bool = typer.Option(False, "--all-ranks", help="Launch every rank."),
    routing: opt.Routing = "balanced",
    step_marker: opt.StepMarker = None,
    clock: opt.Clock = opt.ClockKind.REAL,
    unknown: opt.Unknown = opt.UnknownValues.MEANING,
    output_lengths: opt.OutputLengths = None,
    output: opt.Output = None,
    force: opt.Force = False,
    keep_files: opt.KeepFiles = False,
    allow_writes: opt.AllowWrites = False,
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
    """Run COMMAND without GPUs and predict it on CLUSTER.

    For example: maya run --cluster h100:8x4 -- torchrun --nproc-per-node 8 train.py
    """
    wanted = assignment(words or [], _asked_for(context, cluster, job), job)
    target = find_target(wanted.cluster, host)
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
    check_slow_nodes(target, options.variation)
    emulation = EmulationOptions(
        ranks=ranks,
        all_ranks=all_ranks,
        say=(lambda _: None) if quiet else _say,
        steps=steps,
        max_seconds=max_seconds,
        strict=strict,
        routing=routing,
        unknown=unknown.value,
        output_lengths=output_lengths,
        step_marker=step_marker,
        clock=chosen_clock(clock.value, target, options),
        output=output,
        force=force,
        keep_files=keep_files,
        allow_writes=allow_writes,
        env=dict(wanted.env),
    )
    with wanted.in_place():
        check_script(wanted.command)
    if not quiet:
        _announce(wanted, target)
    recording = _recorded(wanted, target, emulation)
    if not recording.out_of_memory and not quiet:
        print_ending(recording.result)
    raise typer.Exit(_answered(recording, target, options, Telling(json, quiet, verbose)))


def _asked_for(context: typer.Context, cluster: str | None, job: Path | None) -> str | None:
    """A project's default gives way to the job file and to MAYA_CLUSTER."""
    source = context.get_parameter_source("cluster")
    is_default = source is not None and source.name == "DEFAULT_MAP"
    return None if is_default and (job or os.environ.get(CLUSTER_VARIABLE)) else cluster


def _say(text: str) -> None:
    stderr.print(f"[bold]maya:[/] {text}", soft_wrap=True)


def _announce(wanted: Assignment, target: Cluster) -> None:
    """At once: what runs where, and whose output comes next."""
    count = "1 GPU" if target.gpus == 1 else f"{target.gpus:,} GPUs"
    stderr.print(
        f"[bold]maya:[/] recording {escape(shlex.join(wanted.command))} for "
        f"{escape(target.name)} ({count}); what the script prints is not a prediction",
        soft_wrap=True,
    )


def _recorded(wanted: Assignment, target: Cluster, options: EmulationOptions) -> Recording:
    """The command ends here where the program left nothing to predict from."""
    try:
        with watching(options) as watched, wanted.in_place():
            return record(wanted.command, target, watched)
    except RecordingFailedError as error:
        print_summary(error.result)
        raise typer.Exit(error.exit_code) from error


def _answered(
    recording: Recording, target: Cluster, options: PredictionOptions, telling: Telling
) -> ExitCode:
    """Whoever interrupts the prediction is told that the recording is kept."""
    where = shlex.quote(str(recording.result.run_dir))
    with keeping(f"the recording is kept: maya simulate {where} --cluster {target.name}"):
        return answer(recording.run, target, options, telling)
