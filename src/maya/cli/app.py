"""Puts the subcommands together and prints errors, once, here."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

import typer
from rich.markup import escape

from maya.cli.group import MayaGroup
from maya.cli.interrupt import heed_signals
from maya.cli.render import SafeConsole
from maya.cli.usage import UsageError
from maya.errors import ExitCode, Interrupted, MayaError
from maya.version import maya_version

app = typer.Typer(
    cls=MayaGroup,
    rich_markup_mode=None,  # its tables leave 18 columns for the text in a terminal of 80
    name="maya",
    help="Run CUDA training programs on a machine without a GPU and see what the GPU would do.",
    epilog="Exit codes: 0 fine, 1 an error of Maya or in its options, 2 the script failed, "
    "3 predicted out of memory, 4 a check failed, 5 an unsupported call under --strict, "
    "6 no step was found, 130 Ctrl-C, 143 SIGTERM.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    pretty_exceptions_enable=False,
)
stderr = SafeConsole(stderr=True)
# `maya` alone shows its help and ends as wrong use does; 2 would say that the script failed.
UsageError.exit_code = int(ExitCode.ERROR)

for _module in (
    "run",
    "simulate",
    "report",
    "diff",
    "check",
    "export",
    "serve",
    "client",
    "search",
    "plan",
    "calibrate",
    "emulate",
    "inspect",
    "doctor",
    "capabilities",
    "ui",
    "hw",
    "examples",
    "validate",
):
    import_module(f"maya.cli.{_module}").register(app)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(maya_version())
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    pass


def main() -> None:
    """Entry point."""
    with printing_errors():
        heed_signals()
        app()


@contextmanager
def printing_errors() -> Iterator[None]:
    """Ends the process with what an error says, its hint and its exit code."""
    try:
        yield
    except MayaError as error:
        stderr.print(
            f"[bold red]error:[/] {escape(error.message)}", highlight=False, soft_wrap=True
        )
        if error.hint:
            stderr.print(f"[bold]hint:[/] {escape(error.hint)}", highlight=False, soft_wrap=True)
        sys.exit(error.exit_code)
    except Interrupted as stop:
        stderr.print(f"[bold]maya:[/] {escape(str(stop))}", highlight=False, soft_wrap=True)
        sys.exit(stop.exit_code)
    except BrokenPipeError:
        sys.exit(ExitCode.ERROR)
