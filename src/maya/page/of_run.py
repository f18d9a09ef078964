"""The page of one prediction."""

import json
import shlex
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from maya.analyze.placed import PlaceNumbers
from maya.analyze.predicting import Prediction
from maya.page.accounting import own_time, shares
from maya.page.advice import remedy
from maya.page.document import Page
from maya.page.facts import facts
from maya.page.kernels import classes_of, kernel_rows, kind_rows, roof
from maya.page.kinds import WorkKinds
from maya.page.memory import memory_data
from maya.page.memory_curve import failed_curve, memory_curve
from maya.page.places import place_rows
from maya.page.timeline import step_timeline
from maya.page.what_if import scenarios
from maya.page.work import work_between
from maya.report import answer_line
from maya.report.text import SOURCES
from maya.summary import Summary
from maya.trace import Capture

_SCRIPTS = ("timeline.js", "memory.js", "roofline.js", "run.js")


def run_page(
    summary: Summary,
    prediction: Prediction | None,
    *,
    what_if: bool = True,
    captures: Sequence[Capture] = (),
) -> Page:
    """`prediction` is None where the run came to no step: the page says why, and shows memory, with
    `captures` also how it rose to the allocation that failed.

    `what_if` simulates the step again with one thing changed, some ten times.
    """
    data = top(summary)
    if prediction is not None:
        data |= step_data(prediction, what_if=what_if)
    elif summary.memory.oom:
        data["curve"] = failed_curve(captures)
    return Page(f"{answer_line(summary)} - Maya", _SCRIPTS, data)


def part_page(part: str, summary: Summary, prediction: Prediction) -> Page:
    """Only the timeline, or only memory: for notebooks. Nothing is simulated again."""
    data = top(summary) | step_data(prediction, what_if=False) | {"part": part}
    return Page(f"{part} - Maya", _SCRIPTS, data)


def top(summary: Summary) -> dict[str, Any]:
    """What can be said without simulating again."""
    return {
        "page": "run",
        "answer": answer_line(summary),
        "facts": [asdict(fact) for fact in facts(summary)],
        "summary": json.loads(summary.to_json()),
        "command": shlex.join(summary.command),
        "memory": memory_data(summary),
        "notes": [{"text": note, "remedy": remedy(note)} for note in summary.notes],
    }


def step_data(prediction: Prediction, *, what_if: bool = True) -> dict[str, Any]:
    """What only a timeline can tell."""
    kinds = WorkKinds(prediction)
    low, high = prediction.step_ends_ns[0], prediction.step_ends_ns[-1]
    measured = [(work, classes_of(work, kinds)) for work in work_between(prediction, low, high)]
    last = list(work_between(prediction, *prediction.step_ends_ns[-2:]))
    numbers = PlaceNumbers(prediction)
    places = [numbers.of(work.index, work.call) for work in last]
    rows = kernel_rows(prediction, kinds)
    found = {
        "shares": [asdict(s) for s in shares(measured, low, high, prediction.steps)],
        "mean_step_ms": (high - low) / 1e6 / prediction.steps,
        "timeline": step_timeline(prediction, last, kinds, places),
        "kernels": rows,
        "scenarios": [asdict(s) for s in scenarios(prediction, kinds)] if what_if else [],
        "path": [
            {"name": c.name, "category": c.category, "ms": c.time_ms, "count": c.count}
            for c in prediction.path.contributors[:200]
        ],
        "roof": roof(prediction),
        "sources": SOURCES,
        "curve": memory_curve(prediction, last),
    }
    if numbers.known:
        placed = [
            (numbers.of(work.index, work.call), own_time(work, low, high)) for work, _ in measured
        ]
        found |= place_rows(placed, numbers, 1e-6 / prediction.steps / len(measured))
    return found | {
        "kinds": kind_rows(kinds),
        "places": [asdict(place) for place in numbers.all],
    }
