"""The front as text and as a page."""

from pathlib import Path

import pytest
from search_files import FormulaPool, metrics, search_file

import maya
from maya.search import search
from maya.search.answer import answer_of
from maya.search.engine import Options
from maya.search.history import Done
from maya.search.jobs import Outcome
from maya.search.page import page
from maya.search.page_plot import axis
from maya.search.plot import plot
from maya.search.space import Point
from maya.search.why import explain

HOSTILE = "<script>alert(1)</script>"


def test_the_plot_marks_the_front_and_spans_both_axes() -> None:
    lines = plot([(1.0, 9.0), (5.0, 1.0), (5.0, 9.0)], [True, True, False])
    drawn = [line.partition("|")[2] for line in lines if "|" in line]
    assert drawn[0].strip()[0] == "*"
    assert drawn[0].strip()[-1] == "."
    assert drawn[-1].strip() == "*"
    assert "1 ms" in lines[-1]
    assert "5 ms" in lines[-1]


def test_the_page_needs_no_network_and_escapes_everything(tmp_path: Path) -> None:
    file = search_file(
        command=["python", "train.py", "{mode}", HOSTILE],
        knobs={"mode": {"choices": ["a", HOSTILE]}},
        derived={},
        constraints=[],
    )

    def formula(words: list[str]) -> Outcome:
        return Outcome("ok", metrics=metrics(2.0 if words[2] == "a" else 1.0))

    options = Options(output=tmp_path, storage="sqlite://", jobs=1)
    state = search(file, options=options, pool=FormulaPool(1, formula))
    text = page(answer_of(state), state)
    assert HOSTILE not in text
    assert "&lt;script&gt;" in text
    assert "http" not in text
    assert text.count("<circle") == 2


def test_the_python_twin_is_there() -> None:
    assert callable(maya.search)


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([54.0, 698.0], [100.0, 200.0, 500.0]),  # a wide span is bent, or all lie in one corner
        ([0.0024, 0.0161], [0.004, 0.006, 0.008, 0.01, 0.012, 0.014, 0.016]),
        ([7.0, 7.0], [7.0]),
    ],
)
def test_an_axis_has_round_ticks_inside_its_span(values: list[float], ticks: list[float]) -> None:
    found = axis(values, 0.0, 100.0)
    assert found.ticks() == pytest.approx(ticks)
    assert 0 < found.at(values[0]) <= found.at(values[-1]) < 100


def test_large_differences_are_told_with_all_their_digits() -> None:
    slow, fast = (
        Done(
            number, Point("h100:1", {"a": number}, (0, number)), Outcome("ok", metrics=metrics(ms))
        )
        for number, ms in enumerate((4000.0, 1660.0))
    )
    assert "-2,340 ms a step" in explain(fast, slow)[0]
