"""python -m workshop steps: fit the constants of sustained load to published training steps."""

import typer

from workshop.steps.fit import fit_all


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("steps")(command)


def command() -> None:
    """Fit src/maya/estimate/data/sustained.json to the runs that `validate` has kept."""
    fit_all()
