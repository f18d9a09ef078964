"""Kernels of flex attention are as long as the mask that each launch was given makes them."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from maya.estimate import default_chain
from maya.estimate.masks import MaskDensity
from maya.hardware import find_gpu
from maya.trace import Capture, Definition, collect
from maya.trace.block_masks import BlockMask, block_masks
from maya.trace.format import Kind

H100 = find_gpu("h100")
SCRIPT = Path(__file__).parent / "workloads/two_masks.py"
ROWS = 2048 // 128
CAUSAL = BlockMask(ROWS * (ROWS + 1) // 2, ROWS * ROWS)
DOCUMENTS = BlockMask(ROWS // 2 * 3, ROWS * ROWS)  # of two blocks, three each
PAIRS = 2 * 4 * 2048 * 2048 * 64
# Operations of a pair: two products forward, seven in the two walks of the backward kernel.
PASSES = {"triton_tem_fused_0": 2 * 2, "triton_tem_fused_zeros_1": 2 * 7}


@pytest.fixture(scope="module")
def capture(
    tmp_path_factory: pytest.TempPathFactory, workload_environment: dict[str, str]
) -> Capture:
    directory = tmp_path_factory.mktemp("two-masks")
    line = [sys.executable, "-m", "maya", "emulate", "--gpu", "h100", "--steps", "0", "-o", "run"]
    variables = {**os.environ, **workload_environment}
    command = [*line, "--", sys.executable, str(SCRIPT)]
    subprocess.run(command, cwd=directory, env=variables, check=True, timeout=300)
    return collect(directory / "run").captures[0]


def attention(capture: Capture, mask: BlockMask | None) -> list[Definition]:
    share = mask.share * 1e6 if mask else 0
    return [
        work
        for work in capture.definitions()
        if work.kind == Kind.KERNEL
        and work.text("kernel") in PASSES
        and work.number("mask_ppm") == pytest.approx(share, abs=1)
    ]


def test_masks_made_from_known_values_are_told(capture: Capture) -> None:
    assert block_masks([capture]) == Counter({CAUSAL: 1, DOCUMENTS: 1})


@pytest.mark.parametrize("mask", [CAUSAL, DOCUMENTS], ids=["causal", "documents"])
def test_both_passes_compute_the_blocks_of_their_own_mask(
    capture: Capture, mask: BlockMask
) -> None:
    works = attention(capture, mask)
    assert {work.text("kernel") for work in works} == set(PASSES)
    for work in works:
        answer = default_chain().estimate(work, H100)
        flops = PASSES[work.text("kernel")] * PAIRS * mask.share
        assert answer.flops == pytest.approx(flops, rel=0.1)
        assert not answer.data_decides


def test_a_mask_that_nobody_knows_is_as_the_others_or_half_full(capture: Capture) -> None:
    works = attention(capture, None)
    assert {work.text("kernel") for work in works} == set(PASSES)
    known = default_chain().estimate(attention(capture, CAUSAL)[0], H100)
    for work in works:
        whole = default_chain(masks=MaskDensity(given=1.0)).estimate(work, H100).flops
        for masks, share in ((MaskDensity(), 0.5), (MaskDensity(mean=0.2), 0.2)):
            answer = default_chain(masks=masks).estimate(work, H100)
            assert answer.flops == pytest.approx(whole * share)
            assert answer.data_decides
            assert answer.uncertainty > known.uncertainty


def test_what_the_user_says_holds_for_every_mask(capture: Capture) -> None:
    chain = default_chain(masks=MaskDensity(given=0.25))
    for name in PASSES:
        works = [*attention(capture, CAUSAL), *attention(capture, DOCUMENTS)]
        times = {chain.estimate(w, H100).duration_ns for w in works if w.text("kernel") == name}
        assert len(times) == 1
