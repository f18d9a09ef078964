"""Sentences that a reader must know."""

from pathlib import Path

import pytest
from run_facts import run_of
from training_capture import Script

from maya.analyze.notes import notes_of
from maya.hardware import find_cluster
from maya.trace import Run
from maya.trace.format import Kind


@pytest.mark.parametrize(("share", "told"), [(0.87, True), (0.01, False), (0.0, False)])
def test_kernels_that_data_decides_about_are_told_of_where_they_matter(
    tmp_path: Path, share: float, told: bool
) -> None:
    run = Run(tmp_path, ())
    notes = notes_of(run, find_cluster("h100:1"), steady=True, data_decided=share)
    assert any("87% of the time" in note and "--mask-density" in note for note in notes) == told


def test_the_share_of_masks_that_was_taken_is_told_with_its_origin(tmp_path: Path) -> None:
    script = Script()
    for computed in (24, 136):
        script.call(script.define("block_mask", Kind.INFO, computed=computed, blocks=256))
    run, cluster = run_of([script.save(tmp_path)]), find_cluster("h100:1")
    known, assumed = notes_of(run, cluster, steady=True, data_decided=0.5)
    assert "of 2 masks of flex attention made from known values, 9.4% to 53.1%" in known
    assert "Maya assumed that 31.2% of all blocks are computed, the mean" in assumed
    given = notes_of(run, cluster, steady=True, data_decided=0.5, mask_density=0.25)
    assert "compute 0.25 of their mask's blocks, as --mask-density says" in given[1]


def test_what_the_recorder_tells_only_us_is_no_note(tmp_path: Path) -> None:
    script = Script()
    script.call(script.define("core_held", Kind.INFO, what="begun"))
    run = run_of([script.save(tmp_path)])
    assert notes_of(run, find_cluster("h100:1"), steady=True) == ()


@pytest.mark.parametrize("checked", [0, 1])
def test_checks_of_collectives_are_told_of(tmp_path: Path, checked: int) -> None:
    script = Script()
    script.call(script.define("comm", Kind.COMM, comm=1, rank=0, nranks=8, checked=checked), a=7)
    run = run_of([script.save(tmp_path)])
    notes = notes_of(run, find_cluster("h100:8"), steady=True)
    assert any("TORCH_DISTRIBUTED_DEBUG=DETAIL" in note for note in notes) == bool(checked)
