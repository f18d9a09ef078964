"""The pace at which the emulating machine ran each trial, told by what trials have in common.

Recipes of one file share most places of their program. A machine that was crowded during one trial
makes all of its places dearer by about the same factor, which says nothing about the recipe: the
trial's step is told with a host as fast as the search usually found it. A place that only this
recipe makes dearer does not move the factor, and stays as dear.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from maya.recipe_search.choice.history import Done
from maya.recipe_search.trials.host_told import HostTold
from maya.recipe_search.trials.jobs import Metrics

_ENOUGH = 3  # trials that passed a place, before any is compared with the others
_QUANTILE = 0.25  # of these trials: crowding only ever adds
_MOST_SHARE = 0.5  # of a trial's host time, at least, must be at places that others passed, too
_TIMES = ("low_ms", "high_ms", "usd_per_step")
_RATES = ("mfu", "hfu")
Usual = Mapping[int, float]  # by place: what a pass through it takes


def paced(done: Sequence[Done], alike: Mapping[int, Hashable]) -> list[Done]:
    """All trials with the host of the usual pace among those that are `alike` (by number)."""
    groups: dict[Hashable, list[Done]] = defaultdict(list)
    for one in done:
        groups[alike[one.number]].append(one)
    usual = {key: _usual(one.outcome.host for one in group) for key, group in groups.items()}
    return [_at_usual_pace(one, usual[alike[one.number]]) for one in done]


def _usual(hosts: Iterable[HostTold | None]) -> Usual:
    passes: dict[int, list[float]] = defaultdict(list)
    for host in hosts:
        for cost in host.places if host else ():
            passes[cost.place].append(cost.pass_ns)
    return {
        place: float(np.quantile(values, _QUANTILE, method="lower"))
        for place, values in passes.items()
        if len(values) >= _ENOUGH
    }


def _at_usual_pace(done: Done, usual: Usual) -> Done:
    host = done.outcome.host
    slower = slower_than(usual, host) if host else None
    if host is None or slower is None or "step_ms" not in done.outcome.metrics:
        return done
    metrics = _with_host(done.outcome.metrics, host, slower)
    return replace(done, outcome=replace(done.outcome, metrics=metrics))


def slower_than(usual: Usual, host: HostTold) -> float | None:
    """How many times the usual a pass takes here, at half of the places by what they usually take.

    None where too little is shared.
    """
    shared = [cost for cost in host.places if cost.place in usual]
    all_ns = sum(cost.total_ns for cost in host.places)
    if not shared or sum(cost.total_ns for cost in shared) < _MOST_SHARE * all_ns:
        return None
    ratio = np.array([cost.pass_ns / usual[cost.place] for cost in shared])
    weight = np.array([cost.total_ns for cost in shared]) / ratio
    order = np.argsort(ratio, kind="stable")
    middle = np.searchsorted(np.cumsum(weight[order]), weight.sum() / 2)
    return float(ratio[order][min(int(middle), len(order) - 1)])


def _with_host(metrics: Metrics, host: HostTold, slower: float) -> Metrics:
    """The metrics with a host so many times as fast, as far as it was simulated."""
    factors = [at.factor for at in host.steps]
    factor = float(np.clip(1 / slower, factors[0], factors[-1]))
    before = metrics["step_ms"] or 0.0
    step_ms = float(np.interp(factor, factors, [at.step_ms for at in host.steps]))
    longer = (before and step_ms / before) or 1.0
    changed = {name: value * longer for name in _TIMES if (value := metrics.get(name))}
    changed |= {name: value / longer for name in _RATES if (value := metrics.get(name))}
    idle_ms = max(0.0, (metrics.get("idle_ms") or 0.0) + step_ms - before)
    host_ms = (metrics.get("host_ms") or 0.0) * factor
    told = {"step_ms": step_ms, "idle_ms": idle_ms, "host_ms": host_ms, "host_factor": factor}
    return metrics | changed | told
