"""Products, convolutions and copies against numbers computed by hand."""

import numpy as np
import pytest

from maya.estimate import Source, default_chain
from maya.estimate.gemm.estimator import parameters
from maya.estimate.gemm.learned import in_models, learned_estimate
from maya.estimate.gemm.problem import GemmProblem, gemm_problem, precision
from maya.estimate.gemm.roofline import Problems, RooflineParameters, roofline
from maya.estimate.library.conv_problem import conv_problem
from maya.hardware import find_gpu, list_gpus
from maya.testing import works

H100, A100 = find_gpu("h100"), find_gpu("a100-80")
CONV = {
    "n": 8, "c": 64, "k": 128, "in_h": 32, "in_w": 32, "out_h": 16, "out_w": 16,
    "filter_h": 3, "filter_w": 3, "stride_h": 2, "stride_w": 2, "groups": 1,
    "x_type": 14, "notes": 1, "x_nhwc": 1,
}  # fmt: skip

RESNET = {
    "n": 128, "c": 256, "k": 256, "groups": 1, "in_h": 28, "in_w": 28, "out_h": 28, "out_w": 28,
    "filter_h": 3, "filter_w": 3, "stride_h": 1, "stride_w": 1, "x_type": 2,
    "notes": 1, "x_nhwc": 1,
}  # fmt: skip


def test_a_product_counts_two_operations_a_term():
    problem = gemm_problem(works.gemm(2304, 12288, 768))
    assert problem.flops == 2 * 2304 * 12288 * 768
    assert problem.bytes == 2 * (2304 * 768 + 12288 * 768 + 2304 * 12288)
    assert (problem.m, problem.n) == (12288, 2304)  # column-major: the other way round


@pytest.mark.parametrize(
    ("a_type", "compute", "math_mode", "expected"),
    [
        (0, 68, 0, "fp32"),
        (0, 77, 0, "tf32"),
        (0, 68, 3, "tf32"),
        (14, 68, 0, "bf16"),
        (2, 68, 0, "fp16"),
        (28, 68, 0, "fp8"),
    ],
)
def test_the_rate_follows_type_and_mode(a_type, compute, math_mode, expected):
    assert precision(a_type, compute, math_mode) == expected


def test_one_more_tile_than_fits_costs_a_wave():
    fit = RooflineParameters(tile_ns=0.0, floor_ns=0.0, memory_efficiency=1e6)
    rows = np.array([256.0 * 132, 256.0 * 132 + 1])
    same = np.full(2, 128.0), np.full(2, 8192.0), np.ones(2)
    times = roofline(Problems(rows, *same, 2.0, 2.0), H100, 989.4e12, fit)
    assert times.total_ns[1] > 1.05 * times.total_ns[0]


def test_tf32_is_faster_than_fp32():
    chain = default_chain()
    plain = chain.estimate(works.gemm(4096, 4096, 4096, 0), A100)
    fast = chain.estimate(works.gemm(4096, 4096, 4096, 0, math_mode=3), A100)
    assert plain.duration_ns > 4 * fast.duration_ns


def test_large_products_reach_what_was_measured():
    # aiconfigurator, H100: 718-776 TFLOP/s at large sizes
    answer = default_chain().estimate(works.gemm(8192, 8192, 8192), H100)
    assert answer.source is Source.LEARNED
    assert 600e12 < answer.flops / (answer.duration_ns * 1e-9) < 800e12


def test_a_newer_gpu_is_faster():
    chain = default_chain()
    times = [
        chain.estimate(works.gemm(8192, 8192, 8192), find_gpu(name)).duration_ns
        for name in ("a100-80", "h100", "b200")
    ]
    assert times == sorted(times, reverse=True)


def test_convolution_passes_share_their_operations():
    for direction in ("fprop", "dgrad", "wgrad"):
        problem = conv_problem(works.library(f"cudnn_conv_{direction}", **CONV))
        assert problem.flops == 2 * 8 * 16 * 16 * 128 * 64 * 9
        m, n, k = problem.sizes
        assert 2 * m * n * k == pytest.approx(problem.flops, rel=0.01)


def convolution_ns(direction="fprop", device=A100, **change):
    work = works.library(f"cudnn_conv_{direction}", **(RESNET | change))
    return default_chain().estimate(work, device).duration_ns


def test_large_convolutions_come_near_the_peak_but_not_beyond():
    for direction in ("fprop", "dgrad", "wgrad"):
        work = works.library(f"cudnn_conv_{direction}", **RESNET)
        answer = default_chain().estimate(work, A100)
        rate = answer.flops / (answer.duration_ns * 1e-9)
        assert 0.35 * 312e12 < rate < 0.9 * 312e12


def test_odd_channels_are_copied_into_eights():
    copied = 2 * 2 * 250 * 128 * 28 * 28  # read and written, in two bytes
    extra = convolution_ns(c=250) - convolution_ns(c=256)
    assert 0.5 * copied / 2.04e12 < extra * 1e-9 < 1.5 * copied / 2.04e12
    both = convolution_ns(c=250, k=250) - convolution_ns(c=256)
    assert both == pytest.approx(2 * extra, rel=0.1)


def test_narrow_loads_weigh_less_against_slow_tensor_cores():
    """Before Ampere nothing is padded."""
    ratios = {
        name: convolution_ns(device=find_gpu(name), c=3)
        / convolution_ns(device=find_gpu(name), c=8)
        for name in ("t4", "v100-32")
    }
    assert 1 < ratios["t4"] < ratios["v100-32"]


def test_the_gradient_of_an_input_is_a_forward_convolution_since_ampere():
    turned = {"c": 64, "k": 256}
    forward = convolution_ns(c=256, k=64)
    assert convolution_ns("dgrad", **turned) == pytest.approx(forward, rel=0.01)
    v100 = find_gpu("v100-32")
    assert convolution_ns("dgrad", v100, **turned) > 1.05 * convolution_ns(device=v100, c=256, k=64)


DEPTHWISE = {"c": 256, "k": 256, "groups": 256, "filter_h": 5, "filter_w": 5}


def test_depthwise_kernels_with_many_taps_follow_the_clock_and_not_the_bandwidth():
    rtx3090 = find_gpu("rtx3090")
    pace = 108 * 1410 / (82 * 1695)
    for direction in ("fprop", "dgrad", "wgrad"):
        times = [convolution_ns(direction, device, **DEPTHWISE) for device in (rtx3090, A100)]
        assert times[0] / times[1] == pytest.approx(pace, rel=0.05)


def test_depthwise_shapes_without_a_kernel_of_their_own_pay_for_every_index():
    own = convolution_ns(**DEPTHWISE)
    odd = {"c": 252, "k": 252, "groups": 252}
    assert convolution_ns(**DEPTHWISE | odd) > 3 * own
    assert convolution_ns(**DEPTHWISE | odd, x_nhwc=0) == pytest.approx(own, rel=0.1)
    wide = {"filter_h": 9, "filter_w": 9}
    assert convolution_ns(**DEPTHWISE | wide) > 2 * own * 81 / 25


def test_other_layouts_pay_for_the_transposition():
    assert convolution_ns(x_nhwc=0) > 1.2 * convolution_ns(x_nhwc=1)


def test_wide_groups_in_nhwc_go_without_tensor_cores():
    """ResNeSt and NFNets, which take two to three times as long in channels last on RTX 3090."""
    rtx3090 = find_gpu("rtx3090")
    wide = {"device": rtx3090, "groups": 2}
    assert convolution_ns(**wide) > 5 * convolution_ns(**wide, x_nhwc=0)
    assert convolution_ns(**wide, c=512, k=512) < 4 * convolution_ns(**wide)  # a tap is paid once


def test_narrow_groups_in_nhwc_share_a_tile_if_there_are_enough():
    narrow = {"device": find_gpu("rtx3090")}
    few = convolution_ns(**narrow, c=128, k=128, groups=4)
    many = convolution_ns(**narrow, c=256, k=256, groups=8)
    assert few > 2 * many
    assert many < 3 * convolution_ns(**narrow, c=256, k=256)


def test_groups_in_tf32_are_products_as_before():
    tf32 = {"x_type": 0, "groups": 2}
    assert convolution_ns(**tf32) < 2 * convolution_ns(x_type=0)


def test_an_input_is_read_once_though_windows_overlap():
    """A filter of 3 x 3 over few channels moves as much as one of 1 x 1."""
    thin = {"c": 16, "k": 16, "in_h": 224, "in_w": 224, "out_h": 224, "out_w": 224}
    wide = convolution_ns(**thin)
    point = convolution_ns(**thin, filter_h=1, filter_w=1)
    assert wide < 3 * point


def test_small_filters_in_fp32_are_transformed():
    """Winograd: a 3 x 3 filter costs less than nine times a 1 x 1 filter."""
    plain = {"x_type": 0, "notes": 0, "x_nhwc": 0}
    v100 = find_gpu("v100-32")
    nine = convolution_ns(device=v100, **plain)
    one = convolution_ns(device=v100, **plain, filter_h=1, filter_w=1)
    assert nine < 5 * one


def test_copies_follow_their_path():
    chain = default_chain()
    inside = chain.estimate(works.copy(1 << 30, 3), H100).duration_ns
    pinned = chain.estimate(works.copy(1 << 30, 1), H100).duration_ns
    pageable = chain.estimate(works.copy(1 << 30, 1, pageable=1), H100).duration_ns
    assert inside < pinned < pageable
    assert pinned == pytest.approx(2**30 / 50.4e9 * 1e9, rel=0.02)  # 16 lanes of generation 5


def test_every_gpu_has_an_answer_for_every_type():
    chain = default_chain()
    for device in list_gpus():
        for data_type in (0, 1, 2, 3, 14, 28):
            assert chain.estimate(works.gemm(512, 512, 512, data_type), device).duration_ns > 0


def test_recurrent_steps_wait_for_each_other():
    """A step of cuDNN's standard algorithm is several dependent kernels, however small."""
    sizes = {"cell": 2, "hidden": 512, "input": 512, "batch": 16, "max_length": 25, "type": 2}
    v100 = find_gpu("v100-32")

    def time_ns(name, **change):
        work = works.library(f"cudnn_rnn_{name}", **(sizes | change))
        return default_chain().estimate(work, v100).duration_ns

    assert 0.1e6 < time_ns("fwd") < 0.86e6  # DeepBench with CUDA 10: 0.44 to 0.86 ms by batch
    assert time_ns("fwd", max_length=50) > 1.8 * time_ns("fwd")
    assert time_ns("fwd", algorithm=1) < time_ns("fwd")  # persistent kernels
    assert time_ns("bwd_weights") < time_ns("bwd_data")
    assert time_ns("fwd", layers=2) > 1.8 * time_ns("fwd")


def test_losses_beside_the_arithmetic_weigh_less_where_it_is_slower():
    work = GemmProblem(4096, 4096, 4096, precision="fp16", out_bytes=2.0)
    shares = {name: parameters(work, find_gpu(name)).efficiency for name in ("a100-80", "rtx3090")}
    assert shares["rtx3090"] == pytest.approx(1 / (1 + (1 / shares["a100-80"] - 1) / 4), rel=0.01)


def test_small_tiles_lose_by_the_ratio_of_arithmetic_to_bandwidth():
    work = GemmProblem(4096, 4096, 4096, precision="fp16", out_bytes=2.0)
    fast, slow = (parameters(work, find_gpu(name)) for name in ("a100-80", "rtx3090"))
    ratio = 71 / 312 * 2039 / 936
    for part in (1 / 8, 1 / 4, 1 / 2):
        lost = (part**-fast.small_tile_power - 1) / fast.efficiency
        kept = slow.efficiency * part**slow.small_tile_power
        assert 1 / kept - 1 / slow.efficiency == pytest.approx(lost * ratio, rel=0.1)
    less_memory = parameters(work, find_gpu("a100-40"))
    assert less_memory.small_tile_power == pytest.approx(fast.small_tile_power, rel=0.01)


def test_less_power_means_lower_clocks_where_energies_are_not_known():
    work = GemmProblem(8192, 8192, 8192)
    watts = [find_gpu(n).power_limit_w / find_gpu(n).flops_per_s["bf16"] for n in ("l4", "l40s")]
    full, less = (parameters(work, find_gpu(name)).efficiency for name in ("l40s", "l4"))
    assert less < full * (watts[0] / watts[1]) ** 0.5 * 1.05
    burst = parameters(work, find_gpu("h100-96")).efficiency
    assert burst == pytest.approx(parameters(work, find_gpu("h100")).efficiency, rel=0.01)
    assert parameters(work, find_gpu("a100-40")).efficiency == pytest.approx(
        parameters(work, A100).efficiency
    )


def test_the_clock_in_models_is_another_than_in_a_sweep_where_that_was_measured():
    work = GemmProblem(8192, 1024, 1024, precision="fp32", in_bytes=4.0, out_bytes=4.0)
    t4, v100 = (learned_estimate(work, find_gpu(name), "simt") for name in ("t4", "v100-32"))
    # NeuSight's labels of T4: 5.3 to 6.1 TFLOP/s in a model, and once 2.7; 3.1 in the sweep.
    assert 4e12 < t4.flops / (t4.duration_ns * 1e-9) < 6e12
    assert t4.uncertainty > v100.uncertainty
    assert in_models("v100-32") == in_models("a100-40") == 1.0


def test_no_product_is_faster_than_any_that_was_measured():
    # A gradient of weights: few rows and columns, a sum over all tokens.
    answer = default_chain().estimate(works.gemm(768, 2304, 65536), A100)
    assert answer.source is Source.LEARNED
    assert answer.flops / (answer.duration_ns * 1e-9) < 0.92 * 312e12


def test_channels_last_in_tf32_gathers_more_cheaply_than_planes_and_skips_holes():
    tf32 = {"x_type": 0, "x_nhwc": 1}
    assert convolution_ns(**tf32) < convolution_ns(x_type=0, x_nhwc=0)
    assert convolution_ns(**tf32) > convolution_ns(x_nhwc=1)  # twice the bytes, half the rate
