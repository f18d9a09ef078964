"""Results that cannot be right, told by comparing recipes with each other.

Recipes of one file train the same model, so a token costs the same model FLOPs in all of them
(recomputation is not counted). Where one shows much less, its step was not recognised: a
micro-batch was taken for a whole step, and the recipe would win for the wrong reason.
"""

from collections.abc import Sequence
from dataclasses import replace

from maya.recipe_search.choice.history import Done
from maya.recipe_search.trials.jobs import TrialOutcome

LEAST = 0.7  # of the most work a token seen; experts and dropped tokens may explain a little


def judged(done: Done, peers: Sequence[Done]) -> Done:
    """The result, or the same as a failure if it contradicts its peers."""
    own = _work(done)
    most = max((_work(p) or 0.0 for p in peers if p.point.cluster == done.point.cluster), default=0)
    if own is None or own >= LEAST * most:
        return done
    message = (
        f"not believed: its step holds {own / most:.0%} of the work of other recipes, so a part of "
        "a step was taken for a whole one"
    )
    return replace(done, outcome=TrialOutcome("failed", done.outcome.how, {}, message))


def _work(done: Done) -> float | None:
    """Model FLOPs a token, in a unit that is the same for all recipes on one cluster."""
    metrics = done.outcome.metrics
    mfu, step = metrics.get("mfu"), metrics.get("step_ms")
    if done.outcome.status != "ok" or not mfu or not step or not done.tokens_per_step:
        return None
    return mfu * step / done.tokens_per_step
