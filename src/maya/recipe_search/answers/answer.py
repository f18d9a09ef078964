"""What a search found: ranked, with what is equal within the error said to be so."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from maya.recipe_search.answers.document import (
    SCHEMA_VERSION,
    AnswerDocument,
    Recipe,
    SpaceSize,
    TrialCounts,
)
from maya.recipe_search.answers.front import pareto
from maya.recipe_search.answers.why import explain
from maya.recipe_search.choice.history import Done, ranked, score, usd_per_tokens
from maya.recipe_search.engine import Search, job_of
from maya.recipe_search.trials.jobs import How, Status

_BILLION = 1e9


@dataclass(frozen=True, slots=True)
class Answer:
    """The result; `best` is None where nothing fits or works."""

    ranked: tuple[Done, ...]
    front: tuple[Done, ...]
    equal_to_best: int  # of the ranked, from the first on
    why: tuple[str, ...]
    importance: dict[str, float]
    document: AnswerDocument

    @property
    def best(self) -> Done | None:
        """The winner."""
        return self.ranked[0] if self.ranked else None


def answer_of(state: Search) -> Answer:
    """Everything there is to say."""
    order = ranked(state.believed(), state.file)
    front = pareto(order, state.file)
    importance = state.record.importance({done.number for done in order})
    why = tuple(explain(order[0], runner_up(order))) if len(order) > 1 else ()
    equal = _equal(order, state)
    return Answer(
        ranked=tuple(order),
        front=tuple(front),
        equal_to_best=equal,
        why=why,
        importance=importance,
        document=_document(state, order, front, equal, why, importance),
    )


def runner_up(order: Sequence[Done]) -> Done:
    """The next that is not the same run under another name."""
    best = order[0].outcome.metrics
    others = (d for d in order[1:] if d.outcome.metrics.get("step_ms") != best["step_ms"])
    return next(others, order[1])


def _equal(order: Sequence[Done], state: Search) -> int:
    """How many of the first cannot be told from the best: their intervals overlap.

    The intervals of two recipes on one cluster share most of their error (the same kernels, the
    same estimators), so only the part beyond the common one is compared: half of the narrower.
    """
    objective = state.file.objectives[0]
    if not order or objective == "memory_headroom":
        return min(1, len(order))
    best = order[0]
    least = score(objective, best, state.file) or 0.0
    count = 0
    for done in order:
        gap = (score(objective, done, state.file) or 0.0) / least - 1.0 if least else 0.0
        if gap > min(_half_width(best), _half_width(done)) / 2:
            break
        count += 1
    return count


def _half_width(done: Done) -> float:
    """Half of the interval, relative to the step."""
    metrics = done.outcome.metrics
    low, high, step = (metrics.get(name) or 0.0 for name in ("low_ms", "high_ms", "step_ms"))
    return (high - low) / 2 / step if step else 0.0


def recipe_of(done: Done, state: Search) -> Recipe:
    """One recipe as data."""
    metrics = done.outcome.metrics
    job = job_of(state, done.number, done.point)
    return Recipe(
        trial=done.number,
        cluster=done.point.cluster,
        knobs=dict(done.point.knobs),
        metrics=metrics,
        tokens_per_step=done.tokens_per_step,
        usd_per_1b_tokens=usd_per_tokens(metrics, done.tokens_per_step, _BILLION),
        objectives={o: score(o, done, state.file) for o in state.file.objectives},
        command=shlex.join(job.command),
        env=job.env,
        how=done.outcome.how,
    )


def _document(
    state: Search,
    order: Sequence[Done],
    front: Sequence[Done],
    equal: int,
    why: tuple[str, ...],
    importance: dict[str, float],
) -> AnswerDocument:
    space = state.space
    return AnswerDocument(
        schema_version=SCHEMA_VERSION,
        objectives=tuple(state.file.objectives),
        ranked=tuple(recipe_of(item, state) for item in order),
        front=tuple(item.number for item in front),
        equal_to_best=equal,
        why=why,
        importance=importance,
        space=SpaceSize(space.combinations, len(space.points), dict(space.removed)),
        counts=_counts(state),
        out_of_memory=tuple(_messages(state, "oom")),
        hopeless=_messages(state, "hopeless"),
        failed=_messages(state, "failed"),
        pruned={space.by_identity[i].label(): reason for i, reason in state.skipped.items()},
        seconds=round(state.seconds, 1),
    )


def _counts(state: Search) -> TrialCounts:
    counts, evaluated, pruned = state.counts(), len(state.believed()), len(state.skipped)
    return TrialCounts(
        evaluated=evaluated,
        **{name: counts[name] for name in (*get_args(How), *get_args(Status))},
        pruned=pruned,
        not_tried=len(state.space.points) - evaluated - pruned,
    )


def _messages(state: Search, status: Status) -> dict[str, str]:
    """By recipe, of those that ended so."""
    ended = (done for done in state.believed() if done.outcome.status == status)
    return {done.point.label(): done.outcome.message for done in ended}
