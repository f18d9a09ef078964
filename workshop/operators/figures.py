"""Errors of groups of outcomes in a few numbers."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from workshop.operators.check import Outcome

Key = Callable[[Outcome], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Figures:
    """Of absolute relative errors; shares are of one."""

    rows: int
    median: float
    p90: float
    bias: float  # median of signed errors
    worst: float  # the signed error that is the largest factor
    inside: float  # share of rows that the printed intervals hold

    @property
    def cells(self) -> tuple[str, ...]:
        """For a table."""
        shares = (f"{self.median:.1%}", f"{self.p90:.1%}", f"{self.bias:+.1%}")
        return (str(self.rows), *shares, f"{self.worst:+.0%}", f"{self.inside:.0%}")


COLUMNS = ("rows", "median", "90th percentile", "bias", "worst", "inside")


def figures(outcomes: Sequence[Outcome]) -> Figures:
    """Of at least one outcome."""
    errors = np.array([outcome.error for outcome in outcomes])
    factors = np.abs(np.log1p(errors))
    return Figures(
        rows=len(outcomes),
        median=float(np.median(np.abs(errors))),
        p90=float(np.quantile(np.abs(errors), 0.9)),
        bias=float(np.median(errors)),
        worst=float(errors[int(np.argmax(factors))]),
        inside=sum(outcome.inside for outcome in outcomes) / len(outcomes),
    )


def by(outcomes: Iterable[Outcome], key: Key) -> dict[tuple[str, ...], list[Outcome]]:
    """Groups in the order of their keys."""
    groups: dict[tuple[str, ...], list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(key(outcome), []).append(outcome)
    return dict(sorted(groups.items()))


def mode(outcome: Outcome) -> str:
    """How PyTorch ran it."""
    return "compiled" if outcome.case.program.compiled else "eager"
