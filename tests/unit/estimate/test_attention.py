"""Attention of several libraries, against figures that were published for large sizes."""

from dataclasses import replace

import pytest

from maya.estimate import Source, default_chain
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


def test_a_sliding_window_of_cudnn_is_charged_for_what_it_shows():
    chain, long = default_chain(), SIZES | {"s_q": 16384, "s_kv": 16384, "causal": 1}
    masked, narrow, unknown = (
        chain.estimate(library("cudnn_sdpa_fwd", **long, window=keys), H100)
        for keys in (0, 2048, 1)
    )
    assert masked.flops / narrow.flops == pytest.approx(4.3, rel=0.05)
    assert 3 < masked.duration_ns / narrow.duration_ns < 4.5
    # A window is all that is known of it: an upper bound, and called assumed.
    assert (unknown.duration_ns, unknown.source) == (masked.duration_ns, Source.ASSUMED)


def test_a_backward_that_nobody_measured_is_slower_and_less_certain():
    forward, backward = (
        default_chain().estimate(library(f"cudnn_sdpa_{way}", **SIZES, causal=0), H100)
        for way in ("fwd", "bwd")
    )
    assert tflops(backward) < tflops(forward)
    assert backward.uncertainty > forward.uncertainty


@pytest.mark.parametrize(("backward", "times_faster"), [(False, 1.4), (True, 2.0)])
def test_the_second_generation_is_so_many_times_faster_than_the_first(backward, times_faster):
    rates = {
        name: tflops(
            attention_estimate(
                AttentionProblem(
                    4, 16, 16, 4096, 4096, 128, backward=backward, implementation=name
                ),
                A100,
            )
        )
        for name in ("efficient", "flash2")
    }
    assert rates["flash2"] / rates["efficient"] == pytest.approx(times_faster, rel=0.05)


@pytest.mark.parametrize("implementation", ["flash2", "efficient", "cudnn", "library"])
def test_every_gpu_has_shares_of_both_directions(implementation):
    for gpu in list_gpus():
        found = attention_parameters(implementation, gpu)
        assert 0.05 < found.backward <= found.forward < 0.8, gpu.id


def test_kernels_of_older_generations_reach_a_small_share_of_blackwell():
    """Measured on B200: FlashAttention 2 at a third of what cuDNN's own kernels reach."""
    b200 = find_gpu("b200")
    problem = AttentionProblem(4, 32, 8, 8192, 8192, 128)
    times = {
        name: attention_estimate(replace(problem, implementation=name), b200).duration_ns
        for name in ("cudnn", "flash2", "efficient")
    }
    assert times["cudnn"] < 0.4 * times["flash2"] < times["efficient"]
    rate = float(problem.flops) / (times["cudnn"] * 1e-9)
    assert 0.6 * 2250e12 < rate < 0.72 * 2250e12


def test_heads_of_two_sizes_count_by_their_mean():
    fields = {"b": 2, "h_q": 16, "h_k": 16, "s_q": 4096, "s_kv": 4096, "q_type": 14}

    def duration_ns(inner, outer):
        work = library("cudnn_sdpa_fwd", **fields, d_qk=inner, d_v=outer)
        return default_chain().estimate(work, find_gpu("h100")).duration_ns

    assert duration_ns(192, 128) == duration_ns(160, 160)
    assert duration_ns(192, 128) < duration_ns(192, 192)


def efficient(**sizes):
    known = {"batch": 4, "heads": 16, "kv_heads": 16, "queries": 2048, "keys": 2048, "dim": 128}
    problem = AttentionProblem(**(known | sizes), implementation="efficient")
    return attention_estimate(problem, A100)


def test_memory_efficient_kernels_multiply_fp32_three_times_in_tf32():
    half, single = efficient(), efficient(element_bytes=4)
    to_tf32 = A100.flops_per_s["bf16"] / A100.flops_per_s["tf32"]
    assert single.duration_ns / half.duration_ns == pytest.approx(3 * to_tf32, rel=0.03)
    assert single.uncertainty > half.uncertainty


def test_large_heads_of_memory_efficient_kernels_are_bound_by_l2():
    usual, large = tflops(efficient()), efficient(dim=512)
    assert tflops(large) < 0.7 * usual
    assert large.uncertainty > efficient().uncertainty


@pytest.mark.parametrize("gpu", list_gpus(), ids=lambda gpu: gpu.id)
def test_a_mask_over_few_keys_costs_no_more_than_none(gpu):
    few = AttentionProblem(60, 8, 8, 4, 4, 256, causal=True, backward=True)
    masked, whole = (attention_estimate(p, gpu) for p in (few, replace(few, causal=False)))
    assert masked.duration_ns <= whole.duration_ns
