"""maya ui: a local page of all runs and searches."""

import webbrowser
from pathlib import Path

import typer

from maya.cli.render import stderr
from maya.errors import MayaError
from maya.ui import UiServer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("ui")(command)


def command(
    root: Path = typer.Argument(
        Path(),
        metavar="DIR",
        help="Runs and searches below it (default: here).",
        show_default=False,
    ),
    port: int = typer.Option(
        0,
        metavar="N",
        min=0,
        max=65535,
        show_default=False,
        help="Port to listen on (default: free).",
    ),
    open_page: bool = typer.Option(True, "--open/--no-open", help="Open it in a browser."),
) -> None:
    """Look at runs and searches in a browser, and compare them."""
    if not root.is_dir():
        raise MayaError(f"there is no directory {root}", hint="maya ui shows what is below it")
    with UiServer(root, port) as server:
        stderr.print(f"[bold]maya:[/] {server.url}  (Ctrl-C ends it)", soft_wrap=True)
        if open_page:
            webbrowser.open(server.url)
        server.serve_forever()
