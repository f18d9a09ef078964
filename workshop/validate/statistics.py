"""Errors of a group of cases in a few numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workshop.validate.case import NOT_RUN, Outcome


@dataclass(frozen=True, slots=True)
class Figures:
    """Of the cases that were predicted; shares are of one."""

    predicted: int
    failed: int
    not_run: int
    median: float
    p90: float
    bias: float  # median of signed errors
    inside: float
    width: float  # median half-width of the interval, relative


def figures(outcomes: Sequence[Outcome]) -> Figures:
    """Median and 90th percentile of absolute relative errors, and the rest."""
    good = [outcome for outcome in outcomes if not outcome.failure]
    not_run = sum(outcome.failure == NOT_RUN for outcome in outcomes)
    failed = len(outcomes) - len(good) - not_run
    if not good:
        return Figures(0, failed, not_run, 0.0, 0.0, 0.0, 0.0, 0.0)
    errors = np.array([outcome.error for outcome in good])
    return Figures(
        predicted=len(good),
        failed=failed,
        not_run=not_run,
        median=float(np.median(np.abs(errors))),
        p90=float(np.percentile(np.abs(errors), 90)),
        bias=float(np.median(errors)),
        inside=sum(outcome.inside for outcome in good) / len(good),
        width=float(np.median([outcome.width for outcome in good])),
    )


def over_sources(outcomes: Sequence[Outcome]) -> Figures:
    """Each source with the same weight, however many cases it has."""
    found = [figures(group) for group in by_source(outcomes).values()]
    known = [one for one in found if one.predicted]

    def mean(name: str) -> float:
        return float(np.mean([getattr(one, name) for one in known])) if known else 0.0

    return Figures(
        predicted=sum(one.predicted for one in found),
        failed=sum(one.failed for one in found),
        not_run=sum(one.not_run for one in found),
        **{name: mean(name) for name in ("median", "p90", "bias", "inside", "width")},
    )


def by_source(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """Groups in the order in which sources first appear."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.case.source, []).append(outcome)
    return groups
