"""The gallery's table, and the page that is written from its runs."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tests/trainers"))

from outcome import read_outcome  # noqa: E402
from page import page  # noqa: E402
from table import Table, Trainer, read_table  # noqa: E402

ROW = Trainer("one", "base", ("{python}", "train.py"), samples=8, tokens=1024)
TABLE = Table({"base": ()}, (ROW,))


def run_with(directory: Path, **rates: float | None) -> Path:
    summary = {
        "step": {"time_ms": 10.0},
        "throughput": {"samples_per_s": None, "tokens_per_s": None, "sample_unit": "samples"}
        | rates,
        "notes": ["the script read 2 values that no kernel computes (first at /a/b/c/d.py:3 (f))"],
    }
    (directory / "summary.json").write_text(json.dumps(summary), "utf-8")
    return directory


def test_packages_are_pinned_and_programs_are_there() -> None:
    table = read_table()
    for requirements in table.environments.values():
        assert all("==" in requirement for requirement in requirements)
    programs = ROOT / "tests/trainers/programs"
    for row in table.trainers:
        words = {"python": "", "bin": "", "data": "", "programs": str(programs)}
        own = [word.format(**words) for word in row.command]
        assert all(Path(word).exists() for word in own if word.startswith(str(programs)))


@pytest.mark.parametrize(
    ("rates", "right"),
    [
        ({"samples_per_s": 800.0, "tokens_per_s": 102_400.0}, True),
        ({"samples_per_s": 1600.0, "tokens_per_s": 102_400.0}, False),
        ({"samples_per_s": 800.0}, False),
        ({"samples_per_s": 800.0, "tokens_per_s": 102_400.0, "sample_unit": "graphs"}, False),
    ],
)
def test_a_batch_is_right_only_as_a_whole(
    tmp_path: Path, rates: dict[str, float | None], right: bool
) -> None:
    assert read_outcome(ROW, 0, 1.0, run_with(tmp_path, **rates)).right is right


def test_the_page_says_what_was_expected_and_nothing_of_this_machine(tmp_path: Path) -> None:
    outcome = read_outcome(ROW, 0, 1.0, run_with(tmp_path, samples_per_s=1600.0))
    text = page(TABLE, {"one": outcome})
    assert "16 samples, not 8 samples, 1,024 tokens" in text
    assert "first at c/d.py:3" in text


def test_a_run_without_a_summary_is_wrong(tmp_path: Path) -> None:
    assert not read_outcome(ROW, 2, 1.0, tmp_path).right


def test_what_was_not_run_anew_stands_on_the_page_as_before(tmp_path: Path) -> None:
    right = read_outcome(
        ROW, 0, 1.0, run_with(tmp_path, samples_per_s=800.0, tokens_per_s=102_400.0)
    )
    before = page(TABLE, {"one": right})
    two = Table({"base": ()}, (ROW, replace(ROW, name="two")))
    text = page(two, {"two": read_outcome(ROW, 2, 1.0, tmp_path / "nothing")}, before)
    assert next(line for line in before.splitlines() if line.startswith("| one")) in text
    assert "2 programs ran: 1 gave a step, 1 the right answer." in text
