"""`maya simulate RUN --cluster a,b,c`: a table that fits a terminal and hides no price."""

from dataclasses import replace

import pytest
from run_facts import run_of
from training_capture import FixedDurations, training

from maya.analyze import Options, predict
from maya.analyze.summary import summary_of
from maya.hardware import find_cluster
from maya.report import comparison_lines
from maya.summary import Summary


@pytest.fixture(scope="module")
def summary(tmp_path_factory: pytest.TempPathFactory) -> Summary:
    run = run_of([training(tmp_path_factory.mktemp("run"))])
    options = Options(chain=FixedDurations())
    return summary_of(predict(run, find_cluster("h100:8"), options), run)


def test_gpus_that_stand_idle_are_told_beside_their_price(summary: Summary) -> None:
    head, row, remark = comparison_lines([summary])
    assert "GPUs used" in head
    assert "1 of 8" in row
    assert "unused" in remark


def test_there_is_no_such_remark_where_all_are_used(summary: Summary) -> None:
    assert len(comparison_lines([replace(summary, gpus_used=8)])) == 2


def test_the_table_fits_a_terminal_of_80_columns(summary: Summary) -> None:
    rates = replace(summary.throughput, tokens_per_s=123_456_789.0, samples_per_s=None)
    wide = replace(summary, throughput=rates, mfu=0.51)
    lines = comparison_lines([wide, wide])
    assert max(map(len, lines)) <= 80
    assert "MFU" not in lines[0]
    assert "$/step" in lines[0]


def test_what_does_not_fit_is_below_zero_and_explained(summary: Summary) -> None:
    memory = replace(summary.memory, oom=True, missing_bytes=3 << 30)
    *_, row, _, remark = comparison_lines([replace(summary, memory=memory)])
    assert " -3.0 " in row
    assert "does not fit" in remark
