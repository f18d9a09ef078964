"""maya emulate: run a command as if this machine had GPUs."""

import typer

from maya.cli import options as opt
from maya.cli.render import print_json
from maya.cli.summary import print_summary, summary_json
from maya.emulator import EmulationOptions, emulate


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("emulate", context_settings={"allow_interspersed_args": False})(command)


def command(
    words: list[str] = typer.Argument(
        None, metavar="-- COMMAND...", help="The command, as you would run it on a GPU machine."
    ),
    gpu: str = typer.Option(
        "h100", metavar="GPU", help="GPU model to emulate; `maya hw list` shows all."
    ),
    gpus: int | None = typer.Option(
        None,
        metavar="N",
        help="GPUs that the program sees (default: the launcher's processes per node, else 1).",
    ),
    steps: int = typer.Option(
        3, metavar="N", help="End the program after N steady steps (0: let it run to its end)."
    ),
    max_seconds: opt.MaxSeconds = 600.0,
    strict: opt.Strict = False,
    record: bool = typer.Option(
        True, "--record/--no-record", help="Record the calls (write capture files)."
    ),
    routing: opt.Routing = "balanced",
    step_marker: opt.StepMarker = None,
    unknown: opt.Unknown = opt.UnknownValues.MEANING,
    output_lengths: opt.OutputLengths = None,
    output: opt.Output = None,
    force: opt.Force = False,
    keep_files: opt.KeepFiles = False,
    allow_writes: opt.AllowWrites = False,
    torch_check: bool = typer.Option(
        True, "--torch-check/--no-torch-check", help="Check first that torch is a CUDA build."
    ),
    json: opt.Json = None,
) -> None:
    """Run COMMAND without GPUs and record what it asks of them."""
    options = EmulationOptions(
        gpu=gpu,
        gpus=gpus,
        steps=steps,
        max_seconds=max_seconds,
        strict=strict,
        routing=routing,
        unknown=unknown.value,
        output_lengths=output_lengths,
        step_marker=step_marker,
        record=record,
        output=output,
        force=force,
        keep_files=keep_files,
        allow_writes=allow_writes,
        check_torch=torch_check,
    )
    result = emulate(words or [], options)
    if json:
        print_json(summary_json(result), json)
    print_summary(result)
    raise typer.Exit(result.status)
