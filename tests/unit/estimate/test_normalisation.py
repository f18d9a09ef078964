"""Batch normalisation and PyTorch's own depthwise convolutions: what keeps them from bandwidth."""

import struct

import pytest

from maya.estimate import default_chain
from maya.estimate.kernels import accessors
from maya.estimate.kernels.signature import signature
from maya.hardware import find_gpu
from maya.testing.works import POINTER, kernel, library

V100, A100 = find_gpu("v100-32"), find_gpu("a100-80")
BATCH_NORM = {"mode": 2, "training": 1, "x_type": 0, "n": 32, "h": 56, "w": 56, "nhwc": 0}


def norm(device=V100, op="cudnn_norm_bwd", **change):
    return default_chain().estimate(library(op, **(BATCH_NORM | change)), device)


@pytest.mark.parametrize(
    ("op", "channels", "measured_us"),
    [("cudnn_norm_fwd", 64, 118), ("cudnn_norm_bwd", 64, 237), ("cudnn_norm_bwd", 256, 673)],
)
def test_planes_take_what_a_profiler_saw_on_v100(op, channels, measured_us):
    assert norm(op=op, c=channels).duration_ns / 1e3 == pytest.approx(measured_us, rel=0.08)


def test_few_channels_leave_most_of_the_device_idle():
    few, many = norm(A100, c=16, n=512), norm(A100, c=512, n=16)
    assert few.bytes == many.bytes
    assert few.duration_ns > 4 * many.duration_ns


def test_a_channel_that_fits_shared_memory_is_read_once():
    small, large = norm(c=2048, h=7, w=7), norm(c=512, h=14, w=14)
    tensor = 32 * 2048 * 49 * 4
    assert small.bytes == 3 * tensor
    assert large.bytes == 5 * tensor


def test_persistent_kernels_read_again_what_the_chip_cannot_hold():
    small = norm(A100, c=64, n=8, x_type=2, nhwc=1, persistent=1)
    large = norm(A100, c=64, n=1024, x_type=2, nhwc=1, persistent=1)
    assert small.bytes == pytest.approx(3 * 8 * 64 * 56 * 56 * 2)
    assert 4.5 * 1024 * 64 * 56 * 56 * 2 < large.bytes < 5 * 1024 * 64 * 56 * 56 * 2


def depthwise(part, taps=3):
    text = (
        f"void at::native::(anonymous namespace)::conv_depthwise2d_{part}_kernel<float, int>(int)"
    )
    plane = struct.pack("<8i", 64, 32, 56, 56, 32 * 3136, 3136, 56, 1)
    weights = struct.pack("<8i", 32, 1, taps, taps, taps * taps, taps * taps, taps, 1)
    blob = POINTER + plane + POINTER + plane + POINTER + weights + b"\0" * 64
    work = kernel(text, blob, grid=(50176,), block=(128,))
    return accessors.depthwise(work, signature(text), A100)


def test_depthwise_kernels_issue_instructions_for_every_tap():
    elements = 64 * 32 * 56 * 56
    assert depthwise("forward").bytes == 2 * 4 * elements
    assert depthwise("forward", taps=7).issued == elements * (100 + 49 * 10)
    assert depthwise("grad_weight", taps=5).issued == elements * 25 * 45


def test_depthwise_kernels_with_unrolled_loops_issue_fewer():
    expected = 0.7 * 64 * 32 * 56 * 56 * (100 + 9 * 10)
    assert depthwise("forward").issued == pytest.approx(expected)


def test_strided_gradients_meet_fewer_taps():
    text = "void at::native::(anonymous namespace)::conv_depthwise2d_backward_kernel<float, int>()"
    out = struct.pack("<8i", 64, 32, 28, 28, 32 * 784, 784, 28, 1)
    inside = struct.pack("<8i", 64, 32, 56, 56, 32 * 3136, 3136, 56, 1)
    weights = struct.pack("<8i", 32, 1, 3, 3, 9, 9, 3, 1)
    blob = POINTER + out + POINTER + inside + POINTER + weights + b"\0" * 64
    cost = accessors.depthwise(kernel(text, blob, grid=(9999,)), signature(text), A100)
    assert cost.issued == 64 * 32 * (3136 * (120 + 4 * 9) + 784 * 8 * 9)
