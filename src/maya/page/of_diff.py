"""Two predictions side by side, and what makes the difference."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from maya.analyze.diff import Change, KernelChange, compare
from maya.analyze.predicting import Prediction
from maya.page.document import Page
from maya.page.of_run import step_data, top
from maya.report.quantities import duration
from maya.summary import KeptPrediction, Summary

_SCRIPTS = ("timeline.js", "memory.js", "roofline.js", "run.js", "diff.js")
_MOST_KERNELS = 400
_NAMED_CAUSES = 2
_MANY_TIMES = 2
_SAME = 0.001  # relative: nobody would call it a change


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two; without a step there is no prediction behind it."""

    name: str
    kept: KeptPrediction
    prediction: Prediction | None


def diff_page(before: Side, after: Side) -> Page:
    """From the first to the second."""
    found = compare(before.kept, after.kept)
    sides = [_side(side) for side in (before, after)]
    classes = _class_changes(sides)
    answer = difference_line(before, after, classes)
    data = {
        "page": "diff",
        "answer": answer,
        "sides": sides,
        "totals": [asdict(change) for change in found.totals],
        "classes": [asdict(change) for change in classes],
        "kernels": [_kernel(change) for change in found.kernels[:_MOST_KERNELS]],
    }
    return Page(f"{answer} - Maya", _SCRIPTS, data)


def difference_line(before: Side, after: Side, classes: Sequence[Change]) -> str:
    """In one sentence, with the classes that changed most in the same direction."""
    old, new = _step_ms(before.kept.summary), _step_ms(after.kept.summary)
    if old is None or new is None:
        without = before if old is None else after
        return f"{without.name} has no step to compare: {without.kept.summary.no_step}."
    change = new - old
    if abs(change) <= _SAME * old:
        return f"{after.name} is as fast as {before.name}: {duration(new)} a step."
    if not old:
        return f"{after.name} takes {duration(new)} a step, {before.name} no time."
    how = "slower" if change > 0 else "faster"
    causes = [cause for cause in classes if cause.difference * change > 0][:_NAMED_CAUSES]
    because = " and ".join(f"{cause.name} {cause.difference:+.3g} ms" for cause in causes)
    changed = f"{duration(old)} becomes {duration(new)}{f', mostly {because}' if because else ''}"
    if new > _MANY_TIMES * old:
        return f"{after.name} takes {new / old:.1f} times as long as {before.name}: {changed}."
    return f"{after.name} is {abs(change) / old:.1%} {how} than {before.name}: {changed}."


def _side(side: Side) -> dict[str, Any]:
    data = top(side.kept.summary) | {"name": side.name}
    return data | step_data(side.prediction) if side.prediction else data


def _class_changes(sides: list[dict[str, Any]]) -> list[Change]:
    """Milliseconds of the step by class: these add up to the change of the step."""
    old, new = ({s["name"]: s["ms"] for s in side.get("shares", ())} for side in sides)
    found = [Change(name, old.get(name, 0.0), new.get(name, 0.0)) for name in old | new]
    return sorted(found, key=lambda change: -abs(change.difference))


def _kernel(change: KernelChange) -> dict[str, Any]:
    return {**asdict(change), "cause": change.cause}


def _step_ms(summary: Summary) -> float | None:
    return summary.step.time_ms if summary.step else None
