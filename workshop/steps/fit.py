"""Constants of load by whole training steps: energy of an operation, spread of GPUs, by generation.

All sources of distributed language models together, each with the same weight; only cases that may
be looked at (*seen*). What a source would give alone is never used for it. How far GPUs differ is
told by what steps lose from few of them to many, also where only their times are known.
"""

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from statistics import median

import numpy as np

from maya.estimate.interval import COVERAGE, WIDTH
from maya.estimate.sustained import LoadParameters
from workshop.measurements.store import measurements
from workshop.paths import PARAMETERS
from workshop.steps.curves import SMS, StepCurve, curve_of
from workshop.steps.scales import Scales, published_scales
from workshop.steps.spread import spread_of
from workshop.validate.case import Case
from workshop.validate.emulation import EmulationFailedError, Emulator, cache_root
from workshop.validate.sources import find_cases

SOURCES = ("mosaic", "torchtitan", "ultrascale", "vtrain-multi", "vtrain")
# Idle power and energy of memory are usual figures, not fitted: steps do not tell them apart. FP16
# instructions of Ampere take half as much again on Hopper, whose own read operands from shared
# memory: set so that FlashAttention 2 loses what it does on boards of 500 W.
_ASSUMED = {
    "8.0": LoadParameters(55.0, 2.0, 2.0, 40.0, 0.0, 0.0),
    "9.0": LoadParameters(100.0, 1.4, 2.1, 40.0, 0.0, 0.0),
}
_ENERGIES = {"8.0": (1.4, 1.7, 2.0, 2.3, 2.7, 3.2), "9.0": (0.9, 1.1, 1.3, 1.5, 1.8, 2.2)}
_MOST_ERROR = 0.2  # what a case errs beyond has other causes
_MOST_WAITS = 1 / 3  # of a step: the rest is the device's own work
_MOST_HOST_DOUBT = 0.05
_FULL_WEIGHT_CASES = 3  # of a source and generation, seen: fewer count in proportion
_CANDIDATES = 60
_FILE = "sustained.json"
Fitted = dict[str, LoadParameters]


def fit_all() -> None:
    """Fit, write, and print errors before and after, also with each source left out."""
    data = measurements()
    cases = find_cases(data, list(SOURCES), None)
    curves = [curve for case in cases for curve in _curve(case) if _tells(curve)]
    report(curves, published_scales(data))


def report(curves: Sequence[StepCurve], scales: Sequence[Scales]) -> None:
    """Fit, write the file, and print."""
    without = {
        name: replace(known, tensor_pj=_ENERGIES[name][0], spread=0.0)
        for name, known in _ASSUMED.items()
    }
    left_out = {
        source: _fit([curve for curve in curves if curve.case.source != source], scales)
        for source in SOURCES
    }
    fitted = {
        name: replace(known, residual=_residual(curves, left_out, name))
        for name, known in _fit(curves, scales).items()
    }
    _write(fitted, [curve for curve in curves if curve.case.seen])
    _print(curves, without, fitted, left_out)


def _residual(curves: Sequence[StepCurve], left_out: dict[str, Fitted], name: str) -> float:
    """One sigma of seen cases by fits that did not see their source, weighted as in the fit."""
    own = [curve for curve in curves if curve.generation == name and curve.case.seen]
    errors = [abs(curve.error(left_out[curve.case.source][name])) for curve in own]
    counts = Counter(curve.case.source for curve in own)
    order = np.argsort(errors)
    weights = np.array([
        _weight(count) / count for count in (counts[own[place].case.source] for place in order)
    ])  # fmt: skip
    reached = np.searchsorted(np.cumsum(weights) / weights.sum(), COVERAGE)
    return round(float(errors[order[min(int(reached), len(own) - 1)]]) / WIDTH, 3)


def _tells(curve: StepCurve) -> bool:
    """Whether the step says something about clocks: the device's own work decides about it."""
    busy = curve.waits < _MOST_WAITS and curve.host_doubt < _MOST_HOST_DOUBT
    return busy and not curve.case.stand_in


def _curve(case: Case) -> list[StepCurve]:
    try:
        generation = "8.0" if case.cluster.startswith("a100") else "9.0"
        emulator = Emulator(True, cache_root(), emulates=False)
        return [curve_of(case, emulator, _ASSUMED[generation], _ENERGIES[generation])]
    except EmulationFailedError:
        return []


def _fit(found: Sequence[StepCurve], scales: Sequence[Scales]) -> Fitted:
    return {
        name: _best(
            [curve for curve in found if curve.generation == name],
            [one for one in scales if one.generation == name],
            name,
        )
        for name in _ASSUMED
    }


def _best(found: Sequence[StepCurve], scales: Sequence[Scales], name: str) -> LoadParameters:
    """Spread first, by what larger scales lose: it does not depend on how right a scale is.

    A series needs all its scales, so unseen cases take part in that; in the rest they do not.
    """
    grid, known = _ENERGIES[name], _ASSUMED[name]
    spread = round(spread_of(found, scales, known), 4)
    ratio = known.older_pj / known.tensor_pj
    candidates = [
        replace(known, tensor_pj=round(pj, 3), older_pj=round(pj * ratio, 3), spread=spread)
        for pj in np.linspace(grid[0], grid[-1], _CANDIDATES).tolist()
    ]
    seen = [curve for curve in found if curve.case.seen]
    return min(candidates, key=lambda candidate: _loss(seen, candidate))


def _loss(curves: Sequence[StepCurve], known: LoadParameters) -> float:
    """Mean error, each source counts once; less where it has hardly any cases."""
    by_source: dict[str, list[float]] = {}
    for curve in curves:
        error = abs(math.log1p(curve.error(known)))
        by_source.setdefault(curve.case.source, []).append(min(error, _MOST_ERROR))
    return sum(_weight(len(errors)) * sum(errors) / len(errors) for errors in by_source.values())


def _weight(cases: int) -> float:
    """Of a source: one case must not count as much as dozens of another."""
    return min(1.0, cases / _FULL_WEIGHT_CASES)


def _total_loss(curves: Sequence[StepCurve], fitted: Fitted, sms: int) -> float:
    """Mean over sources of mean errors where communication takes so many SMs."""
    by_source: dict[str, list[float]] = {}
    for curve in curves:
        error = abs(curve.error(fitted[curve.generation], sms))
        by_source.setdefault(curve.case.source, []).append(min(error, _MOST_ERROR))
    return sum(sum(errors) / len(errors) for errors in by_source.values()) / len(by_source)


def _write(fitted: Fitted, curves: Sequence[StepCurve]) -> None:
    counts = {source: sum(c.case.source == source for c in curves) for source in SOURCES}
    used = ", ".join(f"{source} {count}" for source, count in counts.items() if count)
    about = (
        "Constants of sustained load by compute capability, written by `python -m workshop "
        "steps`. Energy of an operation and spread of GPUs are fitted to whole published training "
        f"steps, each source with the same weight (cases: {used}); idle power, energy of a byte "
        "and the ratio of older instructions are assumed."
    )
    data = {"about": about, "generations": {name: asdict(known) for name, known in fitted.items()}}
    (PARAMETERS / _FILE).write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")


def _print(
    curves: Sequence[StepCurve], without: Fitted, fitted: Fitted, left_out: dict[str, Fitted]
) -> None:
    for name, known in fitted.items():
        print(
            f"{name}: {known.tensor_pj} pJ an operation, spread {known.spread:.1%}, "
            f"steps of other sources within {known.residual:.1%} (one sigma)"
        )
    for sms in SMS:
        print(f"communication on {sms} SMs: mean error {_total_loss(curves, fitted, sms):.2%}")
    print(f"{'source':14} {'cases':>5}  {'before':>16} {'after':>16} {'left out':>16}")
    for source in SOURCES:
        own = [c for c in curves if c.case.source == source]
        if own:
            columns = [_figures(own, which) for which in (without, fitted, left_out[source])]
            print(f"{source:14} {len(own):5}  " + " ".join(f"{column:>16}" for column in columns))


def _figures(curves: Sequence[StepCurve], known: Fitted) -> str:
    """Median of errors without and with their sign."""
    errors = [curve.error(known[curve.generation]) for curve in curves]
    return f"{median(map(abs, errors)):.1%} ({median(errors):+.1%})"
