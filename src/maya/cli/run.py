"""maya run: emulate a command and predict it on a cluster."""

from pathlib import Path

import typer

from maya.analyze import Options
from maya.analyze.summary import script_ran_out_of_memory
from maya.cli.oom import report_out_of_memory
from maya.cli.predict import chain_with, emulating, predict_run, show
from maya.cli.render import stderr
from maya.cli.summary import print_ending, print_summary
from maya.emulate import EmulationOptions, emulate
from maya.errors import ExitCode
from maya.hardware import find_cluster, find_host
from maya.trace import collect


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
    host: str | None = typer.Option(None, help="CPU profile. [default: the cluster's own]"),
    host_scale: float = typer.Option(1.0, min=0.0, help="Multiplies CPU time."),
    tokens_per_step: float | None = typer.Option(None, help="For tokens per second."),
    samples_per_step: float | None = typer.Option(None, help="For samples per second."),
    share_links: bool = typer.Option(True, help="Transfers at the same time share links."),
    overlap_slowdown: bool = typer.Option(True, help="Overlapping work slows down."),
    steps: int = typer.Option(3, min=1, help="Steady steps to record."),
    max_seconds: float = typer.Option(600.0, help="End the program after this time at the latest."),
    strict: bool = typer.Option(False, "--strict", help="Stop at the first unsupported call."),
    ranks: str | None = typer.Option(None, help="Launch these ranks only: 0,8,16-23."),
    all_ranks: bool = typer.Option(False, "--all-ranks", help="Launch every rank."),
    routing: str = typer.Option(
        "balanced", help="Tokens per expert where a program asks: balanced, zipf[:S], or a FILE."
    ),
    output: Path | None = typer.Option(None, "-o", "--output", help="Directory of the run."),
    force: bool = typer.Option(False, "--force", help="Use a directory that is not empty."),
    measurements: Path | None = typer.Option(
        None, help="CSV or Parquet file of measured kernels, believed before any estimate."
    ),
    json: bool = typer.Option(False, "--json", help="Print summary.json on stdout."),
) -> None:
    """Run COMMAND without GPUs and say what it would do on CLUSTER."""
    target = find_cluster(cluster)
    chain = chain_with(measurements)
    if host:
        target = target.model_copy(update={"host": find_host(host)})
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
    run = collect(result.run_dir) if result.captures else None
    if run and script_ran_out_of_memory(run):
        raise typer.Exit(report_out_of_memory(run, target, json=json))
    if run is None or result.status != ExitCode.OK:
        print_summary(result)
        raise typer.Exit(result.status or ExitCode.ERROR)
    print_ending(result)
    summary = predict_run(
        run,
        target,
        Options(host_scale, share_links, overlap_slowdown, chain),
        tokens_per_step=tokens_per_step,
        samples_per_step=samples_per_step,
    )
    raise typer.Exit(show(summary, result.run_dir, json=json))
