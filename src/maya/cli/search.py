"""maya search: the best recipe of a search file."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from maya.cli import options as opt
from maya.cli.render import print_json, print_text, stderr
from maya.errors import ExitCode, MayaError

if TYPE_CHECKING:
    from maya.recipe_search.engine import FileChanges, SearchOptions


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("search")(command)


def command(
    path: Path | None = typer.Argument(None, metavar="FILE", help="A search file (YAML)."),
    trials: int | None = typer.Option(None, min=1, metavar="N", help="Try at most N recipes."),
    sampler: str | None = typer.Option(
        None, metavar="NAME", help="How recipes are chosen: tpe, cmaes, nsga2, grid or random."
    ),
    seed: int | None = typer.Option(
        None, metavar="N", help="Seed of the sampler's random choices."
    ),
    jobs: int | None = typer.Option(
        None, metavar="N", help="Recipes to try at the same time (default: what fits here)."
    ),
    backend: str = typer.Option(
        "local", metavar="local|ray", help="Where trials run: on this machine, or on a Ray cluster."
    ),
    storage: str | None = typer.Option(
        None,
        metavar="URL",
        help="Database of the study (default: a file in the search's directory).",
    ),
    name: str | None = typer.Option(
        None, metavar="NAME", help="Name of the study (default: the file's name)."
    ),
    warm: bool = typer.Option(
        True, help="Import the framework once and fork that process for every trial."
    ),
    prune: bool = typer.Option(True, help="Skip recipes that must run out of memory."),
    keep_captures: bool = typer.Option(
        False, "--keep-captures", help="Keep the recordings of all trials."
    ),
    output: Path | None = typer.Option(
        None, "-o", "--output", metavar="DIR", help="Directory of the search."
    ),
    top: int = typer.Option(10, min=1, metavar="N", help="How many recipes to print."),
    dry_run: bool = typer.Option(
        False, "--dry-run", help="Print the commands that would be tried, and run none."
    ),
    schema: bool = typer.Option(False, "--schema", help="Print the JSON Schema of search files."),
    json: opt.Json = None,
) -> None:
    """Find the best recipe of FILE. Run it again to continue a search that was interrupted."""
    if schema:
        return _print_schema()
    if path is None:
        raise MayaError(
            "no search file given", hint="`maya examples copy search` brings ready-made files"
        )
    from maya.recipe_search.engine import FileChanges, SearchOptions

    options = SearchOptions(output, storage, name, jobs, backend, warm, keep_captures)
    changes = FileChanges(trials, sampler, seed, None if prune else False)
    if dry_run:
        return _print_commands(path, options, changes)
    return _search(path, options, changes, json, top)


def _print_schema() -> None:
    from maya.recipe_search.space.file import schema

    print_json(schema())


def _print_commands(path: Path, options: "SearchOptions", changes: "FileChanges") -> None:
    from maya.recipe_search.engine import iterate_commands, prepare

    for point, words in iterate_commands(prepare(path, options, changes)):
        typer.echo(f"{point.cluster}\t{shlex.join(words)}")


def _search(
    path: Path, options: "SearchOptions", changes: "FileChanges", json: opt.Json, top: int
) -> None:
    """The search itself; its answer is kept before any of it is shown."""
    from maya.cli.search_view import Progress, show
    from maya.recipe_search.answers.answer import answer_of
    from maya.recipe_search.answers.document import answer_json
    from maya.recipe_search.answers.page import page
    from maya.recipe_search.engine import search
    from maya.recipe_search.names import ANSWER, PAGE
    from maya.rundir import write_whole

    with Progress() as progress:
        state = search(path, options=options, changes=changes, progress=progress)
    answer = answer_of(state)
    written = state.directory / ANSWER
    text = answer_json(answer.document)
    write_whole(written, text)
    if json:
        print_text(text, json)
    show(answer, state, top)
    html = state.directory / PAGE
    write_whole(html, page(answer, state))
    stderr.print(f"written: {written}, {html.name}", soft_wrap=True)
    if answer.best is None:
        raise typer.Exit(ExitCode.OUT_OF_MEMORY if state.counts()["oom"] else ExitCode.ERROR)
