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


def figures(outcomes: Sequence[Outcome]) -> Figures:
    """Median and 90th percentile of absolute relative errors, and the rest."""
    good = [outcome for outcome in outcomes if not outcome.failure]
    not_run = sum(outcome.failure == NOT_RUN for outcome in outcomes)
    failed = len(outcomes) - len(good) - not_run
    if not good:
        return Figures(0, failed, not_run, 0.0, 0.0, 0.0, 0.0)
    errors = np.array([outcome.error for outcome in good])
    return Figures(
        predicted=len(good),
        failed=failed,
        not_run=not_run,
        median=float(np.median(np.abs(errors))),
        p90=float(np.percentile(np.abs(errors), 90)),
        bias=float(np.median(errors)),
        inside=sum(outcome.inside for outcome in good) / len(good),
    )


def by_source(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """Groups in the order in which sources first appear."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.case.source, []).append(outcome)
    return groups
