"""Pages drawn and used in Chromium: zoom, pan, search, sort; no error, no request."""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))

from run_facts import run_of
from search_files import FormulaPool, metrics, search_file
from training_capture import FixedDurations, training

from maya.analyze import Options, Prediction, predict
from maya.analyze.summary import summary_of
from maya.analyze.tables import kernel_table
from maya.hardware import find_cluster
from maya.page import Side, diff_page, part_page, run_page, write_page
from maya.recipe_search import search
from maya.recipe_search.answers.answer import answer_of
from maya.recipe_search.answers.page import page
from maya.recipe_search.engine import SearchOptions
from maya.recipe_search.trials.jobs import TrialOutcome
from maya.summary import Summary, keep_prediction, read_prediction

pytestmark = pytest.mark.long
Visit = Callable[[Path, str], str]


def _predicted(directory: Path, world: int) -> tuple[Summary, Prediction]:
    directory.mkdir(exist_ok=True)
    run = run_of([training(directory, rank=rank, world=world) for rank in range(world)])
    prediction = predict(run, find_cluster(f"h100:{world}"), Options(chain=FixedDurations()))
    return summary_of(prediction, run), prediction


@pytest.mark.parametrize("world", [1, 2, 8])
def test_the_page_of_a_run_can_be_used(tmp_path: Path, visit: Visit, world: int) -> None:
    summary, prediction = _predicted(tmp_path, world)
    path = write_page(run_page(summary, prediction), tmp_path / "report.html")
    assert "A step takes" in visit(path, "run")


@pytest.mark.parametrize("part", ["timeline", "memory"])
def test_a_part_for_notebooks_is_drawn(tmp_path: Path, visit: Visit, part: str) -> None:
    path = write_page(part_page(part, *_predicted(tmp_path, 2)), tmp_path / "part.html")
    visit(path, "part")


def test_the_page_of_a_run_without_memory_says_so(tmp_path: Path, visit: Visit) -> None:
    summary, _ = _predicted(tmp_path, 1)
    full = replace(summary.memory, oom=True, missing_bytes=1 << 30)
    path = write_page(run_page(replace(summary, memory=full), None), tmp_path / "report.html")
    assert "does not fit" in visit(path, "plain")


def test_the_page_of_a_failed_run_shows_what_led_there(tmp_path: Path, visit: Visit) -> None:
    capture = training(tmp_path)
    names = ["held before", "/home/me/train.py:3 (main)", "the allocation that failed"]
    curve = {"names": names, "samples": [[0, [9, 1, 0]], [1, [9, 2, 0]], [2, [9, 2, 80]]]}
    numbers = dict.fromkeys(("asked_bytes", "free_bytes", "allocated_bytes", "reserved_bytes"), 9)
    peaks = dict.fromkeys(("peak_allocated_bytes", "peak_reserved_bytes"), 9)
    told = peaks | {"out_of_memory": numbers | {"curve": curve}}
    capture.path.with_suffix(".memory.json").write_text(json.dumps(told))
    summary, _ = _predicted(tmp_path / "other", 1)
    full = replace(summary, memory=replace(summary.memory, oom=True, missing_bytes=1 << 30))
    page = run_page(full, None, captures=[capture])
    assert "does not fit" in visit(write_page(page, tmp_path / "r.html"), "failed")


def test_the_page_of_a_difference_is_drawn(tmp_path: Path, visit: Visit) -> None:
    sides = []
    for name in ("old", "new"):
        summary, prediction = _predicted(tmp_path / name, 1)
        keep_prediction(tmp_path / name, summary, kernel_table(prediction))
        sides.append(Side(name, read_prediction(tmp_path / name), prediction))
    path = write_page(diff_page(*sides), tmp_path / "diff.html")
    assert "as fast as" in visit(path, "plain")


def test_the_page_of_a_search_can_be_used(tmp_path: Path, visit: Visit) -> None:
    def formula(words: list[str]) -> TrialOutcome:
        return TrialOutcome("ok", metrics=metrics(float(words[2])))

    file = search_file(
        command=["python", "train.py", "{size}"],
        knobs={"size": {"choices": [1, 2, 3, 4]}},
        derived={},
        constraints=[],
    )
    options = SearchOptions(output=tmp_path, storage="sqlite://", jobs=1)
    state = search(file, options=options, pool=FormulaPool(1, formula))
    path = tmp_path / "answer.html"
    path.write_text(page(answer_of(state), state), "utf-8")
    assert "The best recipe is" in visit(path, "search")
