"""Which maya this is."""

from importlib.metadata import PackageNotFoundError, version


def maya_version() -> str:
    """As installed; a bare checkout does not know."""
    try:
        return version("maya-sim")
    except PackageNotFoundError:
        return "unknown"
