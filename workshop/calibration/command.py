"""python -m workshop calibrate: what a trace of one program does for estimates of another."""

from pathlib import Path

import typer

from maya.cli.render import stdout
from maya.hardware import find_gpu
from workshop.calibration.transfer import Errors, Transfer, transfers

_NAME = 26


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("calibrate")(command)


def command(
    gpu: str = typer.Argument(help="GPU of all traces."),
    traces: list[Path] = typer.Argument(help="Two or more traces of torch.profiler."),
) -> None:
    """Calibrate on each trace and estimate the others: error of the sum, of all problems in time
    without sign, and median of single problems; before, with factors alone, with all rows."""
    head = f"{'learned from':<{_NAME}} {'judged on':<{_NAME}} problems  seen"
    say(f"{head}  {'before':>20}  {'factors':>20}  {'all rows':>20}")
    for found in transfers(traces, find_gpu(gpu)):
        say(line(found))


def line(found: Transfer) -> str:
    """One pair for people."""
    names = [short(name) for name in (found.learned_from, found.judged_on)]
    told = "  ".join(map(_figures, (found.before, found.factors, found.after)))
    return f"{names[0]:<{_NAME}} {names[1]:<{_NAME}} {found.problems:>8} {found.seen:>5.0%}  {told}"


def short(name: str) -> str:
    """Enough of a file's name to tell it."""
    return name.removeprefix("h100__").split(".")[0][:_NAME]


def say(text: str) -> None:
    """On stdout, as it is."""
    stdout.print(text, soft_wrap=True, highlight=False, markup=False)


def _figures(one: Errors) -> str:
    return f"{one.total:>+6.1%} {one.absolute:>6.1%} {one.median:>6.1%}"
