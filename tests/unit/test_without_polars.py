"""An installation without extras predicts; what needs one says what to install."""

import subprocess
import sys
from pathlib import Path

import pytest
from run_facts import run_of
from training_capture import FixedDurations, training

from maya.analyze import Options, predict
from maya.analyze.summary import summary_of
from maya.api.report import Report
from maya.errors import ExitCode, MayaError
from maya.export import FORMATS
from maya.hardware import find_cluster
from maya.trace import to_polars


def test_only_tables_need_polars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)  # as if it were not there
    run = run_of([training(tmp_path)])
    prediction = predict(run, find_cluster("h100:1"), Options(chain=FixedDurations()))
    report = Report(summary_of(prediction, run), prediction, tmp_path)
    assert report.step_ms
    assert FORMATS["csv"].write(prediction, tmp_path / "csv")
    for needs in (
        lambda: report.kernels,
        lambda: to_polars(run.captures[0]),
        lambda: FORMATS["parquet"].write(prediction, tmp_path / "parquet"),
    ):
        with pytest.raises(MayaError, match="needs polars") as refused:
            needs()
        assert "maya-sim[tables]" in (refused.value.hint or "")


def test_only_a_search_needs_optuna(tmp_path: Path) -> None:
    """In a process of its own: modules that are imported already stay."""
    without = "import sys; sys.modules['optuna'] = None; from maya.cli import main; main()"
    words = ["search", str(tmp_path / "recipe.yaml")]
    done = subprocess.run([sys.executable, "-c", without, *words], capture_output=True, text=True)
    assert done.returncode == ExitCode.ERROR
    assert "maya search needs Optuna" in done.stderr
    assert "pip install 'maya-sim[search]'" in done.stderr
    hardware = [sys.executable, "-c", without, "hw", "list"]
    assert subprocess.run(hardware, capture_output=True).returncode == ExitCode.OK
