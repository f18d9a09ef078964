"""What intervals would hold had a source taken no part in choosing their width."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from maya.analyze.uncertainty import COVERAGE, DEVICE, WIDTH
from workshop.validate.case import Outcome
from workshop.validate.statistics import by_source

_MOST = 0.5  # no device as a whole is less certain than that


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A source whose cases took no part."""

    source: str
    device: float  # uncertainty of the device as a whole, chosen by the seen cases of the others
    inside: float  # share of all cases of this source
    cases: int


def leave_one_source_out(outcomes: Sequence[Outcome]) -> list[LeftOut]:
    """A row a source that has predictions."""
    good = [outcome for outcome in outcomes if not outcome.failure]
    rows = []
    for source, group in by_source(good).items():
        others = [o for o in good if o.case.source != source and o.case.seen]
        if others:
            device = chosen(others)
            rows.append(LeftOut(source, device, share_inside(group, device), len(group)))
    return rows


def chosen(outcomes: Sequence[Outcome]) -> float:
    """The least whole per cent at which intervals hold what they are meant to."""
    steps = (percent / 100 for percent in range(round(100 * _MOST)))
    return next((d for d in steps if share_inside(outcomes, d) >= COVERAGE), _MOST)


def share_inside(outcomes: Iterable[Outcome], device: float) -> float:
    """With another uncertainty of the device as a whole than the one that was printed."""
    held = [_holds(outcome, device) for outcome in outcomes]
    return sum(held) / len(held)


def _holds(outcome: Outcome, device: float) -> bool:
    """Sides are widened on their own: predictions that wait for the host are not symmetric."""
    middle, measured = outcome.predicted_ms, outcome.case.measured_ms
    side = outcome.high_ms - middle if measured > middle else middle - outcome.low_ms
    sigma = side / middle / WIDTH
    own = max(0.0, sigma**2 - DEVICE**2)
    return abs(measured / middle - 1) <= WIDTH * math.sqrt(own + device**2)
