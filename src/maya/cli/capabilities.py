"""maya capabilities: which functions are implemented."""

import typer
from rich.markup import escape

from maya.cli import options as opt
from maya.cli.render import print_json, stdout
from maya.emulator.exports import Exports, Support, read_exports
from maya.emulator.native import libraries
from maya.errors import MayaError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("capabilities")(command)


def command(
    library: str = typer.Argument("", help="Part of a library's name, for example cublas."),
    json: opt.Json = None,
) -> None:
    """List the emulated functions, and how each is answered."""
    paths = [lib.path for lib in libraries() if library.lower() in lib.soname.lower()]
    if not paths:
        names = ", ".join(lib.soname for lib in libraries()) or "none: `make build` builds them"
        raise MayaError(f"no emulated library matches {library!r}", hint=f"there are {names}")
    found = {path.name: read_exports(path) for path in paths}
    if json:
        print_json({name: exports.functions for name, exports in found.items()}, json)
        return
    for name, exports in found.items():
        _print_library(name, exports, details=bool(library))


def _print_library(name: str, exports: Exports, *, details: bool) -> None:
    counts = ", ".join(f"{exports.count(support):,} {support}" for support in Support)
    stdout.print(f"[bold]{escape(name)}[/]: {len(exports.functions):,} functions: {counts}")
    if details:
        for function, support in exports.functions.items():
            stdout.print(f"  {support:<12} {escape(function)}", highlight=False)
