"""maya doctor: does the emulation work here?"""

import sys

import typer
from rich.markup import escape
from rich.table import Table

from maya.cli.render import stdout
from maya.emulator.confinement import can_confine
from maya.emulator.doctor import LibraryCheck, TorchCheck, check_libraries, check_torch
from maya.emulator.exports import Support
from maya.errors import ExitCode


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("doctor")(command)


def command(
    python: str = typer.Option(sys.executable, help="Interpreter whose torch is checked."),
    gpu: str = typer.Option("h100", help="GPU model to try."),
) -> None:
    """Check every emulated library, and torch under them."""
    checks = check_libraries()
    stdout.print(_table(checks))
    torch = check_torch(python, gpu)
    stdout.print(_torch_line(torch), soft_wrap=True, highlight=False)
    stdout.print(_files_line(), soft_wrap=True, highlight=False)
    problems = [f"{c.name}: {c.problem}" for c in checks if c.problem]
    problems += [f"torch: {torch.problem}"] if torch.problem else []
    for problem in problems:
        stdout.print(f"[red]wrong:[/] {escape(problem)}", soft_wrap=True, highlight=False)
    if problems:
        raise typer.Exit(ExitCode.ERROR)
    stdout.print("[green]all fine[/]")


def _table(checks: list[LibraryCheck]) -> Table:
    table = Table("library", "loads", "version", box=None, pad_edge=False)
    for title in ("exported", *Support):
        table.add_column(title, justify="right")
    for check in checks:
        loads = "[red]no[/]" if check.problem else "yes"
        counts = [f"{check.counts[support]:,}" for support in Support]
        table.add_row(check.name, loads, check.version or "-", f"{check.exported:,}", *counts)
    return table


def _torch_line(torch: TorchCheck) -> str:
    if torch.version is None:
        return "torch: not found"
    seen = f"sees {torch.device}" if torch.device else "does not work"
    return f"torch {torch.version} (CUDA {torch.cuda or 'none'}): {seen}"


def _files_line() -> str:
    if can_confine():
        return "your files: programs cannot change them, and the kernel sees to it"
    return (
        "your files: ordinary programs cannot change them; static ones could, as neither Landlock "
        "nor seccomp filters are to be had here"
    )
