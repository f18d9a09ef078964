"""Sentences that a reader must know."""

from pathlib import Path

import pytest

from maya.analyze.notes import notes_of
from maya.hardware import find_cluster
from maya.trace import Run


@pytest.mark.parametrize(("share", "told"), [(0.87, True), (0.01, False), (0.0, False)])
def test_kernels_that_data_decides_about_are_told_of_where_they_matter(
    tmp_path: Path, share: float, told: bool
) -> None:
    run = Run(tmp_path, ())
    notes = notes_of(run, find_cluster("h100:1"), steady=True, data_decided=share)
    assert any("87% of the time" in note and "--mask-density" in note for note in notes) == told
