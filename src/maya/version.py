"""Which maya this is."""

from functools import cache
from importlib.metadata import PackageNotFoundError, version


@cache  # it is read from a file of text
def maya_version() -> str:
    """As installed; a bare checkout does not know."""
    try:
        return version("maya-sim")
    except PackageNotFoundError:
        return "unknown"
