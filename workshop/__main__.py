"""python -m workshop: the commands of people who work on Maya's accuracy."""

from collections.abc import Sequence

import typer

from maya.cli.app import printing_errors
from workshop.calibration import command as calibration
from workshop.fit import command as fit
from workshop.measurements import command as data
from workshop.replay import command as replay
from workshop.steps import command as steps
from workshop.validate import command as validate

app = typer.Typer(
    name="python -m workshop",
    help="Fit Maya's parameters to published measurements, and check predictions against them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for _command in (fit, steps, validate, replay, calibration, data):
    _command.register(app)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command; errors are printed as `maya` prints them."""
    with printing_errors():
        app(arguments, prog_name="python -m workshop")


if __name__ == "__main__":
    main()
