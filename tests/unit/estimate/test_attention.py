"""Attention of several libraries, against figures that were published for large sizes."""

import pytest

from maya.estimate import default_chain
from maya.estimate.attention import AttentionProblem, attention_estimate, attention_parameters
from maya.hardware import find_gpu, list_gpus
from maya.testing.works import library

H100, A100 = find_gpu("h100"), find_gpu("a100-80")
SIZES = {"b": 4, "h_q": 16, "h_k": 16, "s_q": 4096, "s_kv": 4096, "d_qk": 128, "q_type": 14}


def tflops(answer):
    return answer.flops / answer.duration_ns / 1e3


def test_cudnn_reaches_what_was_published_on_hopper():
    whole = default_chain().estimate(library("cudnn_sdpa_fwd", **SIZES, causal=0), H100)
    masked = default_chain().estimate(library("cudnn_sdpa_fwd", **SIZES, causal=1), H100)
    assert tflops(whole) == pytest.approx(609, rel=0.08)
    assert tflops(masked) == pytest.approx(518, rel=0.08)


def test_a_backward_that_nobody_measured_is_slower_and_less_certain():
    forward, backward = (
        default_chain().estimate(library(f"cudnn_sdpa_{way}", **SIZES, causal=0), H100)
        for way in ("fwd", "bwd")
    )
    assert tflops(backward) < tflops(forward)
    assert backward.uncertainty > forward.uncertainty


def test_the_first_generation_is_half_as_fast_as_the_second():
    rates = {
        name: tflops(
            attention_estimate(
                AttentionProblem(4, 16, 16, 4096, 4096, 128, implementation=name), A100
            )
        )
        for name in ("efficient", "flash2")
    }
    assert 0.35 < rates["efficient"] / rates["flash2"] < 0.6


@pytest.mark.parametrize("implementation", ["flash2", "efficient", "cudnn", "library"])
def test_every_gpu_has_shares_of_both_directions(implementation):
    for gpu in list_gpus():
        found = attention_parameters(implementation, gpu)
        assert 0.1 < found.backward <= found.forward < 0.8, gpu.id
