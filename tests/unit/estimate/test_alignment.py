"""Products whose rows start anywhere are slower than padded ones, for reasons of the hardware."""

import pytest

from maya.estimate import default_chain
from maya.hardware import find_gpu
from maya.testing.works import gemm

TOKENS, WIDTH, VOCABULARY, PADDED = 65536, 768, 50257, 50304


def forward(vocabulary):
    """Logits of a language model: only the result has rows of the vocabulary's length."""
    return gemm(vocabulary, TOKENS, WIDTH, lda=WIDTH, ldb=WIDTH, ldc=vocabulary)


def backward(vocabulary):
    """The gradient of what the logits came from: their gradient is read."""
    return gemm(WIDTH, TOKENS, vocabulary, transa=0, lda=WIDTH, ldb=vocabulary, ldc=WIDTH)


def time_of(work, gpu):
    return default_chain().estimate(work, find_gpu(gpu)).duration_ns


@pytest.mark.parametrize("gpu", ["a100-80", "h100"])
def test_reading_narrow_rows_costs_more_than_writing_them(gpu):
    read = time_of(backward(VOCABULARY), gpu) - time_of(backward(PADDED), gpu)
    written = time_of(forward(VOCABULARY), gpu) - time_of(forward(PADDED), gpu)
    assert 0.3 * time_of(backward(PADDED), gpu) < read
    assert 0 < written < read


def test_rows_that_no_accelerator_can_fetch_lose_the_warp_groups_of_hopper():
    flops = 2.0 * TOKENS * WIDTH * VOCABULARY
    share = (
        flops / time_of(forward(VOCABULARY), "h100") * 1e9 / find_gpu("h100").flops_per_s["bf16"]
    )
    assert 0.4 < share < 0.45
    assert time_of(forward(VOCABULARY), "a100-80") < 1.1 * time_of(forward(PADDED), "a100-80")


def test_wider_steps_cost_less():
    times = [time_of(backward(length), "a100-80") for length in (50257, 50258, 50260, 50304)]
    assert times == sorted(times, reverse=True)


def test_products_of_unknown_pitch_are_taken_as_aligned():
    known = gemm(PADDED, TOKENS, WIDTH, lda=WIDTH, ldb=WIDTH, ldc=PADDED)
    assert time_of(gemm(PADDED, TOKENS, WIDTH), "h100") == time_of(known, "h100")
