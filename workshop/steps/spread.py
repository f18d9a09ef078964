"""How far GPUs differ, by what steps lose from few of them to many."""

from collections.abc import Sequence
from statistics import median

import numpy as np

from maya.estimate.sustained import LoadParameters, harmonic
from workshop.steps.curves import StepCurve
from workshop.steps.scales import SOURCE, Scales

_MOST_SPREAD = 0.05


def spread_of(
    curves: Sequence[StepCurve], scales: Sequence[Scales], known: LoadParameters
) -> float:
    """Mean over sources of what their series ask for, by least squares."""
    asked = _asked_by_series(curves, known)
    if curves and scales:
        slope = median(curve.lag_slope for curve in curves)
        asked[SOURCE] = [
            (slope * (harmonic(one.most) - harmonic(one.fewest)), one.growth) for one in scales
        ]
    spreads = [
        sum(weight * growth for weight, growth in pairs) / sum(weight**2 for weight, _ in pairs)
        for pairs in asked.values()
    ]
    return float(np.mean(np.clip(spreads, 0.0, _MOST_SPREAD))) if spreads else 0.0


def _asked_by_series(
    curves: Sequence[StepCurve], known: LoadParameters
) -> dict[str, list[tuple[float, float]]]:
    """By source: what a spread of one would add to each series, and what the series lacks."""
    asked: dict[str, list[tuple[float, float]]] = {}
    for source, series in {(c.case.source, c.case.series) for c in curves if c.case.series}:
        own = [c for c in curves if (c.case.source, c.case.series) == (source, series)]
        if len({curve.ranks for curve in own}) > 1:
            asked.setdefault(source, []).append(_growth(own, known))
    return asked


def _growth(series: Sequence[StepCurve], known: LoadParameters) -> tuple[float, float]:
    """From the fewest to the most GPUs: what a spread of one adds to a step, and what it lacks."""
    at: dict[int, float] = {
        ranks: median(curve.error(known) for curve in series if curve.ranks == ranks)
        for ranks in sorted({curve.ranks for curve in series})
    }
    least, most = min(at), max(at)
    slope = median(curve.lag_slope for curve in series)
    return slope * (harmonic(most) - harmonic(least)), (1 + at[least]) / (1 + at[most]) - 1
