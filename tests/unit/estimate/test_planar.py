"""Convolutions in NCHW and TF32: nothing transposed, no hole skipped, few channels slow."""

import pytest

from maya.estimate import default_chain
from maya.estimate.cost import memory_ns
from maya.hardware import find_gpu
from maya.testing import works

H100 = find_gpu("h100")
LAYER = {
    "n": 16, "c": 64, "k": 128, "in_h": 256, "in_w": 256, "out_h": 256, "out_w": 256, "x_type": 0,
    "filter_h": 3, "filter_w": 3, "groups": 1, "stride_h": 1, "stride_w": 1, "notes": 1,
    "x_nhwc": 0, "spatial": 2,
}  # fmt: skip


def estimate(direction="fprop", device=H100, **change):
    work = works.library(f"cudnn_conv_{direction}", **(LAYER | change))
    return default_chain().estimate(work, device)


def test_a_filter_of_one_point_moves_each_tensor_once():
    answer = estimate(filter_h=1, filter_w=1)
    assert answer.duration_ns == pytest.approx(memory_ns(answer.bytes, H100), rel=0.25)


def test_holes_of_a_strided_gradient_are_computed():
    """The gradient of a convolution with a stride of four takes as long as that without."""
    strided = estimate("dgrad", in_h=1024, in_w=1024, stride_h=4, stride_w=4).duration_ns
    dense = estimate("dgrad", in_h=1024, in_w=1024, out_h=1024, out_w=1024).duration_ns
    assert strided == pytest.approx(dense, rel=0.35)
    assert strided > 10 * estimate("dgrad").duration_ns


def test_gradients_in_three_dimensions_are_far_below_the_tensor_cores():
    depth = {
        "in_d": 16, "in_h": 64, "in_w": 64, "out_d": 16, "out_h": 64, "out_w": 64, "filter_d": 3,
        "spatial": 3,
    }  # fmt: skip
    for name in ("h100", "l40s"):
        device = find_gpu(name)
        gradient, forward = (estimate(way, device, **depth) for way in ("dgrad", "fprop"))
        assert gradient.duration_ns > 1.5 * forward.duration_ns
        assert gradient.uncertainty >= 0.5


def test_images_of_three_channels_run_at_a_share_of_the_fp32_peak():
    answer = estimate(c=3)
    rate = answer.flops / (answer.duration_ns * 1e-9)
    assert 0.1 * 67e12 < rate < 0.6 * 67e12


def test_other_layouts_and_types_keep_their_kernels():
    assert estimate(x_nhwc=1).duration_ns != estimate().duration_ns
    assert estimate(x_type=2).duration_ns < estimate().duration_ns


def test_even_filters_of_a_gradient_fall_behind_odd_ones():
    """Published transposed convolutions: 4 x 4 reaches a quarter of what 5 x 5 does."""
    even, odd = (estimate("dgrad", filter_h=side, filter_w=side) for side in (4, 5))
    assert even.duration_ns > 2 * odd.duration_ns
    assert estimate(filter_h=4, filter_w=4).duration_ns < odd.duration_ns


def test_few_results_do_not_pay_for_a_wide_tile():
    narrow, wide = (estimate(c=3, k=outs, filter_h=7, filter_w=7) for outs in (16, 64))
    assert narrow.duration_ns < 0.65 * wide.duration_ns


def test_in_frequencies_a_filter_costs_the_same_whatever_its_taps():
    """Ada's gradients in three dimensions; Hopper's pay for each tap."""
    sizes = {"n": 8, "in_d": 32, "out_d": 32, "in_h": 64, "in_w": 64, "out_h": 64, "out_w": 64}
    narrow, wide = {"spatial": 3, "filter_d": 3}, {"spatial": 3, "filter_d": 9}
    times = {
        name: [
            estimate("dgrad", find_gpu(name), **(sizes | taps)).duration_ns
            for taps in (narrow, wide)
        ]
        for name in ("l40s", "h100")
    }
    assert times["l40s"][1] < 1.05 * times["l40s"][0]
    assert times["h100"][1] > 2.5 * times["h100"][0]


def test_turings_gradients_skip_holes_and_pad_no_results():
    """Published transposed convolutions on T4, with a stride of five and of one."""
    t4 = find_gpu("t4")
    strided = estimate("dgrad", t4, in_h=1024, in_w=1024, stride_h=4, stride_w=4).duration_ns
    dense = estimate("dgrad", t4, in_h=1024, in_w=1024, out_h=1024, out_w=1024).duration_ns
    assert strided < 0.2 * dense
    assert estimate("dgrad", t4, c=16).duration_ns < 0.3 * estimate("dgrad", t4).duration_ns


def test_turings_few_channels_pad_results_in_two_dimensions():
    t4 = find_gpu("t4")
    narrow, wide = (estimate(device=t4, c=3, k=outs, filter_h=7, filter_w=7) for outs in (16, 64))
    assert narrow.duration_ns > 0.9 * wide.duration_ns


def test_kinds_that_differ_most_among_alike_are_the_least_certain():
    last = estimate(x_nhwc=1).uncertainty
    grouped = estimate("dgrad", groups=8, stride_h=2, stride_w=2).uncertainty
    assert estimate().uncertainty < last < grouped


def test_channels_that_tensor_cores_do_not_take_hide_behind_memory():
    """A filter of nine taps over three channels takes as long as the result is written."""
    l4 = find_gpu("l4")
    answer = estimate(device=l4, c=3, k=64)
    assert answer.duration_ns == pytest.approx(memory_ns(answer.bytes, l4), rel=0.4)
