"""A second prediction of a run asks no estimator: its answers are kept by content."""

from dataclasses import replace

import pytest

from maya.estimate import default_chain, kept
from maya.estimate.kept import KeptEstimates
from maya.hardware import find_gpu
from maya.testing import works

H100, L4 = find_gpu("h100"), find_gpu("l4")
WORK = works.library(
    "cublasLtMatmul", m=768, n=768, k=768, transa=1, a_type=14, b_type=14, c_type=14, d_type=14
)


@pytest.fixture
def place(tmp_path):
    """Where a prediction has left its estimates."""
    first = KeptEstimates(default_chain(), tmp_path / "run" / "estimates.json")
    first.estimate(WORK, H100)
    first.keep()
    return first.place


def test_known_work_is_not_estimated_again(place):
    second = KeptEstimates(default_chain(), place)
    assert second.estimate(WORK, H100) == default_chain().estimate(WORK, H100)
    assert second.asked == 0


def test_the_content_counts_not_the_number(place):
    second = KeptEstimates(default_chain(), place)
    second.estimate(replace(WORK, id=99), H100)
    assert second.asked == 0


@pytest.mark.parametrize(
    ("work", "gpu", "settings"),
    [
        (replace(WORK, fields={**WORK.fields, "m": 1024}), H100, ""),
        (WORK, L4, ""),
        (WORK, H100.model_copy(update={"clock_mhz": 1000}), ""),
        (WORK, H100, "another mask"),
    ],
    ids=["other work", "other GPU", "a variant of the GPU", "other settings"],
)
def test_anything_else_is_estimated(place, work, gpu, settings):
    second = KeptEstimates(default_chain(), place, settings)
    assert second.estimate(work, gpu) == default_chain().estimate(work, gpu)
    assert second.asked == 1


def test_other_code_starts_anew(place, monkeypatch):
    monkeypatch.setattr(kept, "_code", lambda: "other")
    assert not KeptEstimates(default_chain(), place).found


@pytest.mark.parametrize("content", ["", "[]", '{"code": 1}', '{"code', "\x00"])
def test_a_damaged_file_is_as_none(place, content):
    place.write_text(content)
    second = KeptEstimates(default_chain(), place)
    second.estimate(WORK, H100)
    second.keep()
    assert KeptEstimates(default_chain(), place).found == second.found


def test_a_directory_that_cannot_be_written_to_only_costs_time(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    estimates = KeptEstimates(default_chain(), file / "below" / "estimates.json")
    assert estimates.estimate(WORK, H100).duration_ns > 0
    estimates.keep()
