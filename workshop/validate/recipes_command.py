"""python -m workshop validate recipes: which of many recipes is the fastest."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import typer
from rich.table import Table

from maya.cli.render import stderr, stdout
from workshop.measurements.store import measurements
from workshop.validate.emulation import Emulator, cache_root
from workshop.validate.recipes import GroupFigures, Tried, figures_of, find_recipes, try_recipe

_COLUMNS = (
    "group",
    "predicted",
    "failed",
    "regret",
    "Spearman",
    "error",
    "memory error",
    "fits, ran",
    "fits, crashed",
    "misfit, ran",
    "misfit, crashed",
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("recipes")(command)


def command(
    data: Path | None = typer.Option(None, help="Raw folder, instead of the clone's tables."),
    group: str = typer.Option("", help="Only this group, such as '1B on 8'."),
    most_gpus: int = typer.Option(8, help="Groups of at most so many GPUs."),
    most_micro_batches: int = typer.Option(64, help="Recipes of at most so many in a step."),
    recipes: int = typer.Option(0, help="So many recipes of each group, evenly; 0: all."),
    jobs: int = typer.Option(1, min=1, help="Recipes at a time."),
    emulate: bool = typer.Option(True, help="Emulate recipes that have no run that is kept."),
) -> None:
    """Predict groups of measured recipes; runs are kept, so that it can be interrupted."""
    found = find_recipes(measurements(data), group, most_gpus, most_micro_batches)
    stride = max(1, len(found) // recipes) if recipes else 1
    chosen = found[::stride][: recipes or None]
    emulator = Emulator(reuse=True, root=cache_root(), emulates=emulate)
    tried: list[Tried] = []
    with ThreadPoolExecutor(jobs) as pool:
        for one in pool.map(lambda recipe: try_recipe(recipe, emulator), chosen):
            tried.append(one)
            stderr.print(_line(one, len(tried), len(chosen)), soft_wrap=True, highlight=False)
    stdout.print(_table(list(figures_of(tried))))


def _line(one: Tried, number: int, total: int) -> str:
    recipe = one.recipe
    ran = f"{recipe.case.measured_ms:.0f} ms, {recipe.memory_gb:.1f} GB" if recipe.ran else "crash"
    said = f"{one.step_ms:.0f} ms, {one.memory_gb:.1f} GB" if one.fits else "does not fit"
    answer = f"failed: {one.failure}" if one.failure else f"predicted {said}"
    return f"{number}/{total} {recipe.group}: {recipe.case.name}: measured {ran}, {answer}"


def _table(groups: list[GroupFigures]) -> Table:
    table = Table()
    for index, name in enumerate(_COLUMNS):
        table.add_column(name, justify="right" if index else "left")
    for one in groups:
        shares = (one.regret, one.rank_correlation, one.median_error, one.memory_error)
        table.add_row(
            one.group,
            *map(str, (one.predicted, one.failed)),
            f"{shares[0]:.1%}",
            f"{shares[1]:.2f}",
            *(f"{share:.1%}" for share in shares[2:]),
            *map(
                str,
                (
                    one.fits_and_ran,
                    one.fits_but_crashed,
                    one.misfit_but_ran,
                    one.misfit_and_crashed,
                ),
            ),
        )
    return table
