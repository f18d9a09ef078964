"""What to try next: the history of trials, proposals, pruning and doubt."""

from maya.errors import MayaError

try:
    import optuna as _optuna  # noqa: F401
except ImportError as error:
    # With what it needs itself it takes a third of the space of an installation without it.
    raise MayaError(
        "maya search needs Optuna, which is not installed",
        hint="pip install 'maya-sim[search]', or pip install optuna cmaes",
    ) from error
