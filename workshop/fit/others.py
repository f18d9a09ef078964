"""What a GPU without measurements would be given: the parameters of the others."""

from collections.abc import Iterable, Mapping

import numpy as np


def typical(fits: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The geometric mean of each parameter, over the fits that have it."""
    known: dict[str, list[float]] = {}
    for fit in fits:
        for name, value in fit.items():
            if value > 0:
                known.setdefault(name, []).append(value)
    return {name: float(np.exp(np.mean(np.log(values)))) for name, values in known.items()}


def of_others(
    table: Mapping[str, Mapping[str, float]], names: Iterable[str], left_out: str
) -> dict[str, float]:
    """Typical parameters of all that were measured but one; a harness's constant is none."""
    chosen = typical(table[name] for name in names if name != left_out)
    chosen.pop("harness_ns", None)
    return chosen
