"""Rows of a page that stand for runs which are not at hand."""

from pathlib import Path

from workshop.validate.case import NOT_RUN, Case, Outcome
from workshop.validate.page import page
from workshop.validate.published import EARLIER, as_published, published


def case(name: str = "Llama 8B", measured_ms: float = 100.04) -> Case:
    return Case("torchtitan", name, "titan_llama.py", (), "h100:8x2@efa-3200", measured_ms)


def written(tmp_path: Path, *outcomes: Outcome) -> Path:
    path = tmp_path / "accuracy.md"
    path.write_text(page(outcomes), encoding="utf-8")
    return path


def test_a_case_that_was_not_run_keeps_its_row_and_says_so(tmp_path: Path) -> None:
    before = Outcome(case(), 90.0, 80.0, 101.5, "device", maker="1d4db64 of 2026-11-18")
    rows = published(written(tmp_path, before))
    after = as_published(Outcome(case(), failure=NOT_RUN), rows)
    assert (after.predicted_ms, after.low_ms, after.high_ms) == (90.0, 80.0, 101.5)
    assert (after.bound, after.maker, after.failure) == ("device", EARLIER, "")
    again = page([after])
    assert "| -10.0% | device | seen, earlier |" in again
    assert published(written(tmp_path, after)) == rows


def test_rows_of_another_machine_or_measurement_are_not_taken(tmp_path: Path) -> None:
    rows = published(written(tmp_path, Outcome(case(), 90.0, 80.0, 101.5, "device")))
    other = Outcome(case(measured_ms=200.0), failure=NOT_RUN)
    assert as_published(other, rows) == other


def test_a_prediction_or_a_failure_of_today_is_not_replaced(tmp_path: Path) -> None:
    rows = published(written(tmp_path, Outcome(case(), 90.0, 80.0, 101.5, "device")))
    for today in (Outcome(case(), 95.0, 85.0, 105.0, "host"), Outcome(case(), failure="no step")):
        assert as_published(today, rows) == today


def test_a_page_that_does_not_exist_has_no_rows(tmp_path: Path) -> None:
    assert published(tmp_path / "nothing.md") == {}
