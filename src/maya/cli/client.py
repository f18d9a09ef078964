"""maya client: a program that asks a server of `maya serve`, on the same clock."""

from pathlib import Path

import typer

from maya.cli import options as opt
from maya.cli.render import print_json, stderr
from maya.cli.serve import outcome_as_json, print_outcome, require_answers
from maya.errors import MayaError
from maya.rundir import RunDirectory
from maya.serving import find_server, parse_load
from maya.serving.server import open_server


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("client", context_settings={"allow_interspersed_args": False})(command)


def command(
    words: list[str] = typer.Argument(
        None, metavar="-- COMMAND...", help="The client, for example vllm bench serve ..."
    ),
    server: Path | None = typer.Option(
        None, metavar="DIR", help="Run directory of the server (default: the newest here)."
    ),
    load: str | None = typer.Option(
        None, metavar="SPEC", help="Instead of a command: see `maya serve --help`."
    ),
    json: opt.Json = None,
) -> None:
    """Run COMMAND against a server of `maya serve`."""
    if bool(words) == bool(load):
        raise MayaError("give a command or a --load", hint="maya client -- vllm bench serve ...")
    running = open_server(RunDirectory(find_server(server)))
    code = 0
    if load:
        found = running.send(parse_load(load))
        require_answers(found)
    else:
        code, found = running.run_client(words)
        if not found.requests and not code:
            stderr.print("[bold]maya:[/] the server saw no request of this client")
    if json:
        print_json(outcome_as_json(found), json)
    elif found.requests:
        print_outcome(found)
    raise typer.Exit(code)
