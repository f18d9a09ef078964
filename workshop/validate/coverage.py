"""What intervals would hold had a source taken no part in choosing their width."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from maya.estimate.interval import COVERAGE
from workshop.validate.case import Outcome
from workshop.validate.statistics import by_source

_STEPS = 300  # hundredths of the printed width


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A source whose cases took no part."""

    source: str
    factor: float  # of the printed width, chosen by the seen cases of the others
    inside: float  # share of all cases of this source
    cases: int


def leave_one_source_out(outcomes: Sequence[Outcome]) -> list[LeftOut]:
    """A row a source that has predictions."""
    good = [outcome for outcome in outcomes if not outcome.failure]
    rows = []
    for source, group in by_source(good).items():
        others = [o for o in good if o.case.source != source and o.case.seen]
        if others:
            factor = chosen(others)
            rows.append(LeftOut(source, factor, share_inside(group, factor), len(group)))
    return rows


def chosen(outcomes: Sequence[Outcome]) -> float:
    """The least width, in hundredths of the printed one, that holds what it is meant to.

    Each source counts once.
    """
    groups = by_source(outcomes).values()

    def held(factor: float) -> float:
        return sum(share_inside(group, factor) for group in groups) / len(groups)

    steps = (step / 100 for step in range(_STEPS))
    return next((factor for factor in steps if held(factor) >= COVERAGE), _STEPS / 100)


def share_inside(outcomes: Iterable[Outcome], factor: float) -> float:
    """With intervals so many times as wide as they were printed."""
    held = [_holds(outcome, factor) for outcome in outcomes]
    return sum(held) / len(held)


def _holds(outcome: Outcome, factor: float) -> bool:
    """Sides are widened on their own: predictions that wait for the host are not symmetric."""
    middle, measured = outcome.predicted_ms, outcome.case.measured_ms
    side = outcome.high_ms - middle if measured > middle else middle - outcome.low_ms
    return abs(measured - middle) <= factor * side
