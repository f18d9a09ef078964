"""The answer as one HTML page: the front, all recipes, and the page of each recipe's run."""

import os
from dataclasses import asdict
from pathlib import Path

from maya.page import Page, render
from maya.recipe_search.answers.answer import Answer
from maya.recipe_search.answers.document import AnswerDocument
from maya.recipe_search.answers.front import places
from maya.recipe_search.choice.history import Done
from maya.recipe_search.engine import Search, job_of
from maya.recipe_search.trials.trial import page_file
from maya.report.quantities import duration

_SCRIPTS = ("search.js",)


def page(answer: Answer, state: Search) -> str:
    """The whole file."""
    line = answer_line(answer)
    placed = places(answer.ranked)
    data = asdict(answer.document) | {
        "page": "search",
        "answer": line,
        "knobs": list(state.space.names),
        "unit": placed.unit,
        "places": [placed.of.get(done.number) for done in answer.ranked],
        "links": [_link(done, state) for done in answer.ranked],
        "others": _others(answer.document),
    }
    return render(Page(f"{line} - Maya", _SCRIPTS, data))


def answer_line(answer: Answer) -> str:
    """The best recipe, or how the search failed, in one sentence."""
    if answer.best is None:
        counts = answer.document.counts
        return f"No recipe worked: {counts.oom} ran out of memory, {counts.failed} failed."
    step_ms = answer.best.outcome.metrics["step_ms"] or 0.0
    recipe = answer.best.point.label()
    return (
        f"The best recipe is {recipe} on {answer.best.point.cluster}: {duration(step_ms)} a step."
    )


def _link(done: Done, state: Search) -> str | None:
    """To the page of its run, from the directory of the search; None where there is none."""
    path = page_file(job_of(state, done.number, done.point))
    if not path.exists():
        return None
    return Path(os.path.relpath(path, state.directory)).as_posix()


def _others(document: AnswerDocument) -> list[dict[str, str]]:
    """What is no answer, and why."""
    found = dict.fromkeys(document.out_of_memory, "out of memory") | document.hopeless
    found |= {label: f"failed: {text}".splitlines()[-1] for label, text in document.failed.items()}
    found |= {label: f"not tried: {why}" for label, why in document.pruned.items()}
    return [{"recipe": label, "why": why} for label, why in found.items()]
