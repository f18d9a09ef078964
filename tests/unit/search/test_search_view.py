"""The front as text and as a page."""

from inspect import isfunction
from pathlib import Path

from search_files import FormulaPool, metrics, search_file

import maya
from maya.page.document import unpacked
from maya.recipe_search import search
from maya.recipe_search.answers.answer import answer_of
from maya.recipe_search.answers.page import page
from maya.recipe_search.answers.plot import plot
from maya.recipe_search.answers.why import explain
from maya.recipe_search.choice.history import Done
from maya.recipe_search.engine import SearchOptions
from maya.recipe_search.space.space import Point
from maya.recipe_search.trials.jobs import TrialOutcome

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

    def formula(words: list[str]) -> TrialOutcome:
        return TrialOutcome("ok", metrics=metrics(2.0 if words[2] == "a" else 1.0))

    options = SearchOptions(output=tmp_path, storage="sqlite://", jobs=1)
    state = search(file, options=options, pool=FormulaPool(1, formula))
    text = page(answer_of(state), state)
    assert HOSTILE not in text
    assert "https:" not in text
    data = unpacked(text)
    assert [row["knobs"]["mode"] for row in data["ranked"]] == [HOSTILE, "a"]
    assert len(data["places"]) == len(data["links"]) == 2
    assert data["answer"].endswith("1.00 ms a step.")


def test_public_functions_are_not_hidden_by_packages() -> None:
    assert isfunction(maya.search)
    assert isfunction(maya.simulate)


def test_large_differences_are_told_with_all_their_digits() -> None:
    slow, fast = (
        Done(
            number,
            Point("h100:1", {"a": number}, (0, number)),
            TrialOutcome("ok", metrics=metrics(ms)),
        )
        for number, ms in enumerate((4000.0, 1660.0))
    )
    assert "2,340 ms less a step" in explain(fast, slow)[0]
