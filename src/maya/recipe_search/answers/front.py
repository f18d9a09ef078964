"""The front: answers that no other beats in everything that counts."""

from collections.abc import Sequence
from dataclasses import dataclass

from maya.recipe_search.choice.history import Done, losses
from maya.recipe_search.space.file import SearchFile

_MILLION = 1e6
Place = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Places:
    """Where recipes lie between time (milliseconds) and money, for the same amount of training."""

    unit: str  # "step", or "million tokens" where steps are not of one size
    of: dict[int, Place]  # by number of the trial; those without a price have none


def places(order: Sequence[Done]) -> Places:
    """Of all answers, in one unit."""
    sizes = {done.tokens_per_step for done in order}
    alike = len(sizes) == 1 or None in sizes
    found = {}
    for done in order:
        step_ms = done.outcome.metrics.get("step_ms")
        usd = done.outcome.metrics.get("usd_per_step")
        scale = 1.0 if alike or not done.tokens_per_step else _MILLION / done.tokens_per_step
        if step_ms is not None and usd is not None:
            found[done.number] = (step_ms * scale, usd * scale)
    return Places("step" if alike else "million tokens", found)


def pareto(order: Sequence[Done], file: SearchFile) -> list[Done]:
    """With one objective, time against money."""
    if len(file.objectives) > 1:
        axes = {done.number: tuple(losses(done, file) or ()) for done in order}
    else:
        axes = {**places(order).of}
    return [
        done
        for done in order
        if done.number in axes
        and not any(_beats(other, axes[done.number]) for other in axes.values())
    ] or list(order[:1])


def _beats(a: Sequence[float], b: Sequence[float]) -> bool:
    pairs = list(zip(a, b, strict=True))
    return all(x <= y for x, y in pairs) and any(x < y for x, y in pairs)
