"""Two predictions side by side: the causes add up to the change of the step."""

from pathlib import Path

import pytest
from run_facts import run_of
from training_capture import FixedDurations, training

from maya.analyze import Options, predict
from maya.analyze.summary import summary_of
from maya.analyze.tables import kernel_table
from maya.hardware import find_cluster
from maya.page import Side, diff_page, render
from maya.page.document import unpacked
from maya.summary import keep_prediction, read_prediction


def _side(directory: Path, name: str, scale: float) -> Side:
    place = directory / name
    place.mkdir()
    run = run_of([training(place)])
    prediction = predict(run, find_cluster("h100:1"), Options(chain=FixedDurations(scale)))
    keep_prediction(place, summary_of(prediction, run), kernel_table(prediction))
    return Side(name, read_prediction(place), prediction)


def test_changes_of_classes_add_up_to_the_change_of_the_step(tmp_path: Path) -> None:
    before, after = _side(tmp_path, "old", 1.0), _side(tmp_path, "new", 2.0)
    data = unpacked(render(diff_page(before, after)))
    steps = [side["summary"]["step"]["time_ms"] for side in data["sides"]]
    changes = [change["after"] - change["before"] for change in data["classes"]]
    assert sum(changes) == pytest.approx(steps[1] - steps[0])
    assert changes[0] == max(changes, key=abs)
    assert data["answer"].startswith("new is ")
    assert "slower than old" in data["answer"]
    assert "mostly matmul" in data["answer"]
    assert all(kernel["cause"] for kernel in data["kernels"])


def test_the_same_prediction_twice_is_as_fast(tmp_path: Path) -> None:
    before, after = _side(tmp_path, "old", 1.0), _side(tmp_path, "new", 1.0)
    assert "as fast as" in diff_page(before, after).data["answer"]
