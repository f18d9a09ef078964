"""What a search has learnt so far."""

from collections.abc import Sequence
from dataclasses import dataclass

from maya.recipe_search.space.file import Objective, SearchFile
from maya.recipe_search.space.space import Point, Space, tokens_per_step
from maya.recipe_search.trials.jobs import Metrics, TrialOutcome
from maya.units import GIB

_BILLION = 1e9
_MS_PER_HOUR = 3600e3
MAXIMIZED = ("memory_headroom",)


@dataclass(frozen=True, slots=True)
class Done:
    """A trial that has ended."""

    number: int
    point: Point
    outcome: TrialOutcome
    tokens_per_step: float | None = None


def score(objective: Objective, done: Done, file: SearchFile) -> float | None:
    """The objective in its own unit; None where it is not known."""
    metrics = done.outcome.metrics
    match objective:
        case "step_time":
            return metrics["step_ms"]
        case "usd_per_step":
            return metrics["usd_per_step"]
        case "memory_headroom":
            return (metrics["headroom_bytes"] or 0.0) / GIB
        case "usd_per_1b_tokens":
            return usd_per_tokens(metrics, done.tokens_per_step, _BILLION)
        case "usd_to_budget":
            return usd_per_tokens(metrics, done.tokens_per_step, file.budget_tokens)
        case "hours_to_budget":
            return hours_to(metrics, done.tokens_per_step, file.budget_tokens)


def usd_per_tokens(
    metrics: Metrics, tokens_per_step: float | None, tokens: float | None
) -> float | None:
    """Money to train on so many tokens."""
    usd = metrics.get("usd_per_step")
    return (
        usd / tokens_per_step * tokens if usd is not None and tokens_per_step and tokens else None
    )


def hours_to(metrics: Metrics, tokens_per_step: float | None, tokens: float | None) -> float | None:
    """Time to train on so many tokens."""
    step_ms = metrics.get("step_ms")
    if step_ms is None or not tokens_per_step or not tokens:
        return None
    return step_ms / _MS_PER_HOUR * tokens / tokens_per_step


def losses(done: Done, file: SearchFile) -> list[float] | None:
    """Every objective as something to make small; None if the recipe is no answer."""
    if done.outcome.status != "ok" or broken_limit(done, file):
        return None
    return raw_losses(done, file)


def raw_losses(done: Done, file: SearchFile) -> list[float] | None:
    """The same, whether or not limits are kept; of a hopeless trial, what it has at least."""
    if done.outcome.status not in ("ok", "hopeless"):
        return None
    found = []
    for objective in file.objectives:
        value = score(objective, done, file)
        if value is None:
            return None
        found.append(-value if objective in MAXIMIZED else value)
    return found


def broken_limit(done: Done, file: SearchFile) -> str | None:
    """The limit of the file that this result does not keep."""
    limits, metrics = file.limits, done.outcome.metrics
    hours = hours_to(metrics, done.tokens_per_step, file.budget_tokens)
    usd = usd_per_tokens(metrics, done.tokens_per_step, file.budget_tokens)
    room = (metrics.get("headroom_bytes") or 0.0) / GIB
    if limits.hours is not None and hours is not None and hours > limits.hours:
        return f"takes {hours:,.1f} hours of {limits.hours:g}"
    if limits.usd is not None and usd is not None and usd > limits.usd:
        return f"costs ${usd:,.0f} of ${limits.usd:,.0f}"
    if limits.memory_headroom_gib is not None and room < limits.memory_headroom_gib:
        return f"leaves {room:.1f} GiB of memory"
    return None


def longest_wanted_ms(space: Space, point: Point, history: Sequence[Done]) -> float | None:
    """The step time from which on a point is no rival to the best so far.

    Every objective but memory is a price a millisecond of the step; with two there is no best.
    """
    file = space.file
    objective = file.objectives[0]
    best = ranked(history, file)
    if not (best and file.prune and file.hopeless) or len(file.objectives) > 1:
        return None
    if objective in MAXIMIZED:
        return None
    usd_per_hour = space.clusters[point.cluster].usd_per_hour
    usd_per_ms = usd_per_hour and usd_per_hour / _MS_PER_HOUR
    one_ms = TrialOutcome("ok", metrics={"step_ms": 1.0, "usd_per_step": usd_per_ms})
    price = score(objective, Done(-1, point, one_ms, tokens_per_step(space, point)), file)
    least = score(objective, best[0], file)
    return file.hopeless * least / price if price and least else None


def ranked(history: Sequence[Done], file: SearchFile) -> list[Done]:
    """Answers, best first by the first objective (then the others, then age)."""
    scored = [(found, done) for done in history if (found := losses(done, file)) is not None]
    return [done for _, done in sorted(scored, key=lambda item: (item[0], item[1].number))]
