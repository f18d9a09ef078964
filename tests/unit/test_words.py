"""Phrases that readers could not follow stay away from messages, help and pages (docs/style.md)."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_READ_BY_PEOPLE = (
    *ROOT.glob("src/maya/cli/*.py"),
    *ROOT.glob("src/maya/report/*.py"),
    *ROOT.glob("src/maya/page/**/*.py"),
    *ROOT.glob("src/maya/page/assets/*.js"),
    *ROOT.glob("src/maya/analyze/*.py"),
    *ROOT.glob("src/maya/prediction/*.py"),
    *ROOT.glob("src/maya/recipe_search/**/*.py"),
    *(
        ROOT / "docs" / name
        for name in ("index.md", "faq.md", "commands.md", "scale.md", "search.md")
    ),
    ROOT / "README.md",
)
_REFUSED = (
    r"are answered for\b",
    r"times that mean nothing",
    r"with a rim\b",
    r"no recipe is an answer",
    r"\bOf the noise\b",
    r"ms a million tokens",
    r"which no kernel computed",
    r"Input should be",
    r"\u00b5s",
    r"\\u00b5s",
)


@pytest.mark.parametrize("phrase", _REFUSED)
def test_no_text_for_people_has_a_phrase_that_was_not_understood(phrase: str) -> None:
    assert len(_READ_BY_PEOPLE) > 100
    found = [path.name for path in _READ_BY_PEOPLE if re.search(phrase, path.read_text("utf-8"))]
    assert found == []
