"""The largest request rate at which a server keeps its promise."""

from collections.abc import Callable
from dataclasses import dataclass

from maya.serving.report import LoadOutcome
from maya.serving.slo import Slo

_CLOSE = 1.1  # two rates nearer than this are one
_MOST_TRIALS = 14


@dataclass(frozen=True, slots=True)
class Trial:
    """One rate."""

    rate: float
    outcome: LoadOutcome
    broken: tuple[str, ...]  # promises that were not kept

    @property
    def good(self) -> bool:
        """Whether every promise was kept and every request answered."""
        return not self.broken


@dataclass(frozen=True, slots=True)
class Capacity:
    """`rate` is None where the promise is broken at any rate that was tried."""

    rate: float | None
    trials: tuple[Trial, ...]


def broken_promises(outcome: LoadOutcome, slo: Slo) -> tuple[str, ...]:
    """In words."""
    broken = [f"{outcome.failed} requests failed"] if outcome.failed else []
    for promise in slo:
        found = outcome.spread(promise.metric)
        if found is None:
            continue
        if (value := found.at(promise.percent)) > promise.most_ms:
            name = promise.metric.upper()
            broken.append(f"{name} p{promise.percent} {value:.0f} > {promise.most_ms:.0f} ms")
    return tuple(broken)


def find_capacity(
    start_rate: float,
    slo: Slo,
    send: Callable[[float], LoadOutcome],
    told: Callable[[Trial], None] = lambda _: None,
) -> Capacity:
    """Doubles or halves the rate until the promise breaks or holds, then halves what is between."""
    trials: list[Trial] = []

    def holds(rate: float) -> bool:
        outcome = send(rate)
        trial = Trial(rate, outcome, broken_promises(outcome, slo))
        trials.append(trial)
        told(trial)
        return trial.good

    good, bad = _bracket(start_rate, holds, trials)
    while good and bad and bad / good > _CLOSE and len(trials) < _MOST_TRIALS:
        middle = (good * bad) ** 0.5
        if holds(middle):
            good = middle
        else:
            bad = middle
    return Capacity(good, tuple(sorted(trials, key=lambda trial: trial.rate)))


def _bracket(
    rate: float, holds: Callable[[float], bool], trials: list[Trial]
) -> tuple[float | None, float | None]:
    good = bad = None
    while len(trials) < _MOST_TRIALS and (good is None or bad is None):
        if holds(rate):
            # More requests a second than are answered: the load was too short to tell.
            if trials[-1].outcome.requests_per_s < rate / 2 and good is not None:
                return max(good, rate), None
            good, rate = rate, 2 * rate
        else:
            bad, rate = rate, rate / 2
    return good, bad
