"""Kernels of single operators: what their parameters tell, and what that takes."""

import struct
from dataclasses import replace

import pytest

from maya.estimate.chain import default_chain
from maya.estimate.cost import Cost, KernelRows, busy_ns
from maya.estimate.kernels import accessors, elementwise, indexing, plain, pooling, scan
from maya.estimate.kernels.estimator import kernel_cost
from maya.estimate.kernels.signature import signature
from maya.estimate.parameters import TYPICAL
from maya.estimate.types import Source
from maya.hardware import find_gpu
from maya.testing.works import POINTER, kernel

H100, L40S = find_gpu("h100"), find_gpu("l40s")
SCAN = (
    "void at::native::tensor_kernel_scan_innermost_dim<float, std::plus<float> >"
    "(float*, float const*, unsigned int, unsigned int, unsigned int, float, std::plus<float>)"
)
AVERAGE = (
    "void at::native::(anonymous namespace)::avg_pool2d_out_cuda_frame<float, float>"
    "(int, float const*, long, long, long, long, int, int, int, int, int, int, int, float*, int)"
)
MAXIMUM = (
    "void at::native::(anonymous namespace)::max_pool_forward_nchw<float>"
    "(int, float const*, long, long, long, int, int, int, int, int, int, int, int, int, int)"
)
MOMENTS = (
    "void at::native::(anonymous namespace)::RowwiseMomentsCUDAKernel<float>"
    "(long, float, float const*, float*, float*)"
)


def scan_of(rows, length):
    blob = POINTER * 2 + struct.pack("<III", rows, length, 4)
    return kernel(SCAN, blob, grid=(max(1, rows // 32),), block=(16, 32))


def test_a_scan_reads_and_writes_every_element():
    work = scan_of(32768, 32768)
    cost = scan.along_rows(work, signature(SCAN), H100)
    assert cost.bytes == 2 * 4 * 32768 * 32768
    assert default_chain().estimate(work, H100).duration_ns > 3e6  # 0.009 ms when it was unknown


def test_a_scan_of_few_rows_waits_for_trips():
    def time_ns(rows):
        return busy_ns(scan.along_rows(scan_of(rows, 65536), signature(SCAN), H100), H100, TYPICAL)

    assert time_ns(320) < 1.2 * time_ns(32)


@pytest.mark.parametrize("taps", [3, 11])
def test_average_pooling_reads_every_value_once_and_issues_for_each_tap(taps):
    results = 64 * 100 * 100
    sizes = struct.pack(
        "<qqqqiiiiiii", 64, 100 * taps, 100 * taps, 100, 100, taps, taps, taps, taps, 0, 0
    )
    work = kernel(AVERAGE, struct.pack("<q", results) + POINTER + sizes + POINTER, grid=(625,))
    cost = pooling.average_of_planes(work, signature(AVERAGE), H100)
    assert cost.bytes == 4 * results * (taps * taps + 1)
    assert cost.issued > 10 * results * taps * taps


def test_maximum_pooling_writes_places_too():
    results = 2 * 64 * 50 * 50
    sizes = struct.pack("<qqqiiiiiiiiii", 64, 100, 100, 50, 50, 2, 2, 2, 2, 0, 0, 1, 1)
    blob = struct.pack("<q", results) + POINTER + sizes + POINTER * 2
    cost = pooling.maximum_of_planes(kernel(MAXIMUM, blob, grid=(1250,)), signature(MAXIMUM), H100)
    assert cost.bytes == results * 12 + 4 * 2 * 64 * 100 * 100


def test_pooling_whose_sizes_were_misread_is_left_to_others():
    work = kernel(MAXIMUM, b"\0" * 96, grid=(1250,))
    assert pooling.maximum_of_planes(work, signature(MAXIMUM), H100) is None


def test_few_long_rows_wait_for_memory_trip_by_trip():
    """16 groups on 132 SMs: their number does not matter, their length does."""

    def moments(groups, columns):
        blob = struct.pack("<q", columns) + b"\0" * 8 + POINTER * 3
        work = kernel(MOMENTS, blob, grid=(groups,), block=(512,))
        return busy_ns(accessors.moments(work, signature(MOMENTS), H100), H100, TYPICAL)

    assert moments(16, 1 << 20) == pytest.approx(moments(64, 1 << 20), rel=0.05)
    assert moments(16, 1 << 21) > 1.8 * moments(16, 1 << 20)


def test_rows_that_outgrow_the_cache_are_read_again():
    short = Cost(1e9, rows=KernelRows(1 << 15, 1 << 12, 1024, 2.0))
    long = replace(short, rows=KernelRows(1 << 9, 1 << 21, 1024, 2.0))
    assert busy_ns(long, H100, TYPICAL) > 2.5 * busy_ns(short, H100, TYPICAL)
    assert busy_ns(long, L40S, TYPICAL) < 3.1 * busy_ns(short, L40S, TYPICAL)


def test_comparisons_write_a_byte_and_masks_are_operands():
    compare = (
        "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float, float, "
        "bool, at::native::CompareEqFunctor<float> >, std::array<char*, 3ul> >(int)"
    )
    work = kernel(compare, struct.pack("<ii", 1 << 20, 0) + POINTER * 3, grid=(2048,))
    assert elementwise.cost(work, signature(compare), H100).bytes == 9 << 20
    where = (
        "void at::native::vectorized_elementwise_kernel<4, "
        "at::native::where_kernel_impl(at::TensorIterator&)::{lambda(bool, float, float)#1}, "
        "std::array<char*, 4ul> >(int)"
    )
    work = kernel(where, struct.pack("<ii", 1 << 20, 0) + POINTER * 4, grid=(2048,))
    assert elementwise.cost(work, signature(where), H100).bytes == 13 << 20


def test_squares_are_as_cheap_as_products():
    def power(number):
        text = (
            "void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous namespace)::"
            "pow_tensor_scalar_kernel_impl<float, float>(at::TensorIteratorBase&, float)"
            f"::{{lambda(float)#{number}}}, std::array<char*, 2ul> >(int)"
        )
        work = kernel(text, struct.pack("<ii", 1 << 20, 0) + POINTER * 2, grid=(2048,))
        return elementwise.cost(work, signature(text), H100)

    assert power(1).operations < power(4).operations
    assert not power(1).kind
    assert power(4).kind


def test_a_sort_of_rows_moves_keys_and_places_in_every_pass():
    text = (
        "void at_cuda_detail::cub::DeviceSegmentedRadixSortKernel<at_cuda_detail::cub::Policy<"
        "float, long, int>::Policy900, true, true, float, long, offset_t, offset_t, int>()"
    )
    blob = POINTER * 4 + struct.pack("<iiiiiii", 8192, 0, 8192, 1, 2048, 0, 7)
    work = kernel(text, blob, grid=(2048,))
    found = indexing.segmented_sort(work, signature(text), H100)
    assert found.bytes == 2048 * 8192 * (3 * 4 + 2 * 8)


@pytest.mark.parametrize(
    ("name", "passes", "first"),
    [
        ("batch_norm_collect_statistics_channels_last_kernel", 1, b""),
        ("batch_norm_transform_input_channels_last_kernel", 2, b""),
        ("batch_norm_backward_reduce_channels_last_kernel", 2, b""),
        ("batch_norm_backward_elemt_channels_last_kernel", 3, struct.pack("<f", 0.5)),
    ],
)
def test_batch_norm_of_dense_rows_is_told_by_two_sizes(name, passes, first):
    text = f"void at::native::{name}<float, float, float, 4>(float const*)"
    work = kernel(text, POINTER * 5 + first + struct.pack("<ii", 4096, 8192), grid=(256, 16))
    assert kernel_cost(work, H100).bytes == 4096 * 8192 * 4 * passes


def test_a_kernel_that_nothing_is_known_of_tells_what_it_may_take_at_most():
    work = kernel("nobody_knows_me", POINTER * 2, grid=(1024,), block=(512,))
    found = default_chain().estimate(work, H100)
    assert found.source == Source.ASSUMED
    assert found.most_ns > found.duration_ns
    behind = replace(work, fields={**work.fields, "reach_bytes": 8 << 30})
    assert default_chain().estimate(behind, H100).most_ns > 3e6  # a scan of 8 GiB takes 4.7 ms
    little = replace(work, fields={**work.fields, "reach_bytes": 1 << 20})
    assert default_chain().estimate(little, H100).most_ns < found.most_ns


def test_sizes_of_described_tensors_are_found_by_the_types_in_the_name():
    """A count, two factors and a flag stand before two accessors of four dimensions."""
    text = (
        "void at::native::upsample_bilinear2d_out_frame<float, float>(int, float, float, bool, "
        "at::GenericPackedTensorAccessor<float const, 4ul, at::DefaultPtrTraits, long>, "
        "at::GenericPackedTensorAccessor<float, 4ul, at::DefaultPtrTraits, long>)"
    )
    blob = struct.pack("<iff?3x", 64, 0.5, 0.5, False)
    for sizes in ((2, 3, 4, 4), (2, 3, 8, 8)):
        blob += POINTER + struct.pack("<8q", *sizes, 1, 1, 1, 1)
    cost = plain.described(kernel(text, blob, grid=(1,)), signature(text), H100)
    assert cost.bytes == 4 * 2 * 3 * (16 + 64)


def test_gradients_of_an_index_read_and_add_every_row():
    text = (
        "void (anonymous namespace)::indexing_backward_kernel<float, 4>"
        "(long const*, long const*, float const*, float*, long, long, long, long, bool)"
    )
    work = kernel(text, POINTER * 4 + struct.pack("<4q", 1000, 64, 1, 2), grid=(250,))
    assert kernel_cost(work, H100).bytes == 2000 * (64 * 4 * 3 + 16)
