"""Polars, which only tables need: it takes half of the space of an installation without it."""

from types import ModuleType

from maya.errors import MayaError


def polars(what: str) -> ModuleType:
    """The module, or an error that says how to get it; `what` needs it."""
    try:
        import polars as found
    except ImportError as error:
        raise MayaError(
            f"{what} needs polars, which is not installed",
            hint="pip install 'maya-sim[tables]', or pip install polars",
        ) from error
    return found
