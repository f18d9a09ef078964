"""Bytes and sizes that are read from names and parameters, computed by hand."""

import struct
from dataclasses import replace

import pytest

from maya.estimate import Source, default_chain
from maya.estimate.attention import AttentionProblem
from maya.estimate.kernels import (
    accessors,
    attention,
    elementwise,
    indexing,
    optimizer,
    reduce,
    rows,
)
from maya.estimate.kernels.estimator import kernel_cost
from maya.estimate.kernels.signature import signature
from maya.hardware import find_gpu
from maya.testing.works import ADD_KERNEL, POINTER, add, gemm, kernel

H100, A100 = find_gpu("h100"), find_gpu("a100-80")
FLASH = (
    "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, "
    "cutlass::bfloat16_t, Flash_kernel_traits<64, 128, 128, 4, cutlass::bfloat16_t> >, false, "
    "true, false, false, true, true, false, false>(pytorch_flash::Flash_fwd_params)"
)


def test_an_elementwise_kernel_moves_its_operands_once():
    name = signature(ADD_KERNEL)
    assert name.operand_count == 3
    assert elementwise.cost(add(1 << 20), name, H100).bytes == 3 * 4 * 2**20


def test_casts_tell_the_sizes_in_memory():
    text = (
        "void at::native::unrolled_elementwise_kernel<at::native::CUDAFunctor_add<float>, "
        "std::array<char*, 3ul>, 4, TrivialOffsetCalculator<2, unsigned int>, "
        "TrivialOffsetCalculator<1, unsigned int>, at::native::memory::LoadWithCast<2>, "
        "at::native::memory::StoreWithCast<1> >(int)"
    )
    # float + bfloat16 -> float, behind two empty calculators and their padding
    casts = bytes.fromhex(
        "6d830000" + "060f0000" + "04000000" + "02000000" + "06c6886d" + "04000000"
    )
    work = kernel(text, struct.pack("<if", 1000, 1.0) + POINTER * 3 + casts, grid=(2,))
    cost = elementwise.cost(work, signature(text), H100)
    assert cost.bytes == 1000 * (4 + 2 + 4)
    assert cost.issued == 1000 * 3 * 20  # the type of each operand is found out while running


def test_a_copy_that_names_both_types_writes_the_second():
    text = (
        "void at::native::vectorized_elementwise_kernel<8, at::native::converting_copy_kernel_cuda<"
        "float, c10::BFloat16>(at::TensorIteratorBase&)::{lambda(float)#1}, "
        "std::array<char*, 2ul>, false>(int)"
    )
    work = kernel(text, struct.pack("<ii", 1000, 0) + POINTER * 2, grid=(1,))
    assert elementwise.cost(work, signature(text), H100).bytes == 1000 * (4 + 2)


def _strided(text, elements, extents, strides, grid, stale=b""):
    """An `elementwise_kernel` of two operands, as PyTorch lays out its parameters."""
    words = [len(extents)]
    for extent in extents:
        words += [extent, 0, 0]
    words += [0] * 3 * (25 - len(extents))
    words += [stride for dimension in strides for stride in dimension]
    words += [0] * 2 * (25 - len(strides))
    blob = struct.pack("<ii", elements, 0) + struct.pack(f"<{len(words)}I", *words)
    return kernel(text, blob + POINTER * 2 + stale, grid=(grid,))


COPY = (
    "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<"
    "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(c10::Half)#1}>"
    "(at::TensorIteratorBase&)::{lambda(int)#1}>(int)"
)


def test_operands_are_told_by_the_size_of_the_parameters_not_by_stale_pointers():
    work = _strided(COPY, 5000, (100, 50), ((2, 2), (200, 400)), 10, stale=POINTER)
    assert elementwise.cost(work, signature(COPY), H100).bytes == 5000 * 2 * 2


def test_a_transposing_copy_pays_for_sectors():
    count = 64 * 3136 * 256
    grid = count // 512
    plain = _strided(COPY, count, (count,), ((2, 2),), grid)
    short = _strided(COPY, count, (64, count // 64), ((2, 6272), (128, 2)), grid)
    long = _strided(COPY, count, (3136, count // 3136), ((2, 128), (6272, 2)), grid)
    moved = [elementwise.cost(work, signature(COPY), H100).bytes for work in (plain, short, long)]
    assert moved[0] == count * 4
    assert moved[0] <= moved[1] < moved[2] == count * 2 + count * 32 / 2.5


def test_finding_elements_outlasts_moving_them_in_16_bits_on_fast_memory():
    """Squeeze and excitation in channels last: 192 channels, 9,025 places, 128 images."""
    wide = COPY.replace("c10::Half", "float")
    count = 192 * 9025 * 128

    def work(text, size):
        strides = ((size, size), (192 * size, 192 * size), (192 * 9025 * size, 400 * 9025 * size))
        return _strided(text, count, (192, 9025, 128), strides, count // 512)

    assert elementwise.cost(work(COPY, 2), signature(COPY), A100).issued == count * (15 + 3 * 10)
    chain = default_chain()
    half, full = (chain.estimate(work(*case), A100).duration_ns for case in ((COPY, 2), (wide, 4)))
    assert full < 1.25 * half  # twice the bytes
    slow = chain.estimate(work(COPY, 2), find_gpu("rtx3090")).duration_ns
    assert slow < 1.4 * half  # less than half of the bandwidth
    plain = _strided(COPY, count, (count,), ((2, 2),), count // 512)
    assert chain.estimate(plain, A100).duration_ns < 0.7 * half


def test_roll_reads_and_writes_each_element_once():
    text = "void at::native::roll_cuda_kernel<c10::Half>(c10::Half const*, c10::Half*, long, long)"
    work = kernel(text, POINTER * 2 + struct.pack("<qq", 1 << 20, 1), grid=(2048,))
    assert indexing.roll(work, signature(text), H100).bytes == 4 << 20


def test_a_broadcast_operand_is_read_once():
    text = (
        "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<"
        "at::native::CUDAFunctor_add<float> >(at::TensorIteratorBase&)::{lambda(int)#1}>(int)"
    )
    strides = [(4, 4, 0), (4 * 100, 4 * 100, 4)]  # bytes, by dimension: the third is a column
    words = [2, 100, 0, 0, 50, 0, 0, *[0] * (3 * 23)]
    words += [stride for dimension in strides for stride in dimension] + [0] * (3 * 23)
    blob = struct.pack("<ii", 5000, 0) + struct.pack(f"<{len(words)}I", *words) + POINTER * 3
    work = kernel(text, blob, grid=(20,))
    assert elementwise.cost(work, signature(text), H100).bytes == 5000 * 4 * 2 + 50 * 4


def test_six_operands_are_told_by_their_strides_too():
    """Group normalisation's backward: a gradient, an input and four that are broadcast."""
    text = (
        "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<"
        "at::native::GroupNormBackwardKernelImplInternal<float>()::"
        "{lambda(float, float, float, float, float)#1}>(at::TensorIteratorBase&)"
        "::{lambda(int)#1}>(int)"
    )
    words = [2, 100, 0, 0, 50, 0, 0, *[0] * (3 * 23)]
    words += [4, 4, 4, 0, 0, 0, 400, 400, 400, 4, 4, 4] + [0] * (6 * 23)
    blob = struct.pack("<ii", 5000, 0) + struct.pack(f"<{len(words)}I", *words) + POINTER * 6
    work = kernel(text, blob, grid=(20,))
    assert elementwise.cost(work, signature(text), H100).bytes == 5000 * 4 * 3 + 50 * 4 * 3


def test_a_reduction_tells_inputs_and_outputs():
    text = (
        "void at::native::reduce_kernel<128, 4, at::native::ReduceOp<c10::BFloat16, "
        "at::native::func_wrapper_t<c10::BFloat16>, unsigned int, c10::BFloat16, 4, 4> >(int)"
    )
    config = struct.pack("<14I", 4, 12288, 768, 768, 32, 192, 0, 1, 4, 1, 0, 32, 4, 128)
    work = kernel(text, b"\0" * 8 + config + b"\0" * 64, grid=(6, 192), block=(32, 4, 1))
    cost = reduce.cost(work, signature(text), H100)
    assert cost.bytes == 12288 * 768 * 2 + 768 * 4
    assert cost.serial_ns > 0  # 192 blocks an output need a second pass


@pytest.mark.parametrize(("behind", "width"), [(1 << 20, 4), (1 << 19, 2)])
def test_a_reduction_compiled_at_run_time_is_read_like_any_other(behind, width):
    config = struct.pack("<14I", 4, 1 << 18, 1, 1, 0, 8, 0, 0, 0, 0, 0, 512, 1, 512)
    blob = b"\0" * 4 + config + b"\0" * 980
    work = kernel("reduction_prod_kernel", blob, (1, 8), (512,), reach_bytes=behind)
    cost = kernel_cost(work, H100)
    assert cost.bytes == (1 << 18) * width + 4


def test_layer_norm_reads_and_writes_its_rows():
    text = (
        "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float, "
        "false>(int, float, float const*, float const*, float const*, float*, float*, float*)"
    )
    work = kernel(text, struct.pack("<if", 768, 1e-5) + POINTER * 6, grid=(12288,), block=(32, 4))
    cost = rows.layer_norm(work, signature(text), H100)
    assert cost.bytes == 12288 * 768 * 4 * 2 + 12288 * 8 + 768 * 8


@pytest.mark.parametrize(("tensors", "passes"), [(4, 7), (5, 9)])
def test_fused_adam_by_the_digest(tensors, passes):
    text = (
        "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<"
        f"FusedOptimizerTensorListMetadata<{tensors}>, FusedAdamMathFunctor<float, {tensors}, "
        "(at::native::ADAM_MODE)1, false>, float const*>(int)"
    )
    work = kernel(text, struct.pack("<QQ", 1 << 20, 3), grid=(320,), block=(512,), layout=1)
    assert optimizer.cost(work, signature(text), H100).bytes == passes * 4 * 2**20


def test_the_layout_of_gradients_for_a_reduce_scatter_reads_narrow_and_writes_wide():
    text = "void at::native::detail::chunk_cat_cuda_kernel<float, c10::BFloat16>(c10::BFloat16**)"
    blob = POINTER * 8 + struct.pack("<qqq", 64 * 4096, 4096, 2)
    work = kernel(text, blob, grid=(2, 64, 3))
    assert indexing.chunk_concatenate(work, signature(text), H100).bytes == 3 * 64 * (4096 + 2048)
    assert default_chain().estimate(work, H100).source == Source.ANALYTICAL


def test_taking_gathered_parameters_apart_reads_and_writes_every_row():
    text = "at::native::detail::split_with_sizes_copy_out_contiguous_no_cast_kernel(char**, char**)"
    work = kernel(text, POINTER * 5 + struct.pack("<qq", 4096, 64), grid=(2, 8))
    assert indexing.split_copy(work, signature(text), H100).bytes == 2 * 4096 * 64
    assert default_chain().estimate(work, H100).source == Source.ANALYTICAL


def test_a_gather_moves_slices():
    text = "void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*, int)"
    blob = POINTER * 3 + struct.pack("<iiqqqq", 12288, 0, 3072, 50304, 3072, 3072)
    work = kernel(text, blob, grid=(12288,), block=(192,))
    assert indexing.gather(work, signature(text), H100).bytes == 12288 * (2 * 3072 + 8)


@pytest.mark.parametrize(
    ("base", "sizes", "elements", "passes"),
    [
        ("indexFuncLargeIndex", (1 << 20, 256), 1 << 20, 3),
        ("indexSelectLargeIndex", (1 << 20, 256), 1 << 20, 2),
        ("indexFuncSmallIndex", (256, 0), 5 * 256, 3),
    ],
)
def test_indices_move_what_they_name_whatever_the_grid(base, sizes, elements, passes):
    text = f"void at::native::{base}<float, long, unsigned int, 2, 2, -2, true>(int)"
    info = POINTER + b"\0" * 208
    indices = POINTER + struct.pack("<I", 5) + b"\0" * 204
    blob = info + info + indices + struct.pack("<iiIIqq", 0, 0, *sizes, 4096, 1 << 30)
    work = kernel(text, blob, grid=(1056,), block=(128,))
    moved = indexing.by_index(work, signature(text), H100).bytes
    assert moved == elements * 4 * passes + elements // 256 * 8


def flash_work(window=(1024, 0), name=FLASH, batch=12, heads=12, length=1024, dim=64, size=464):
    blob = POINTER * 3 + b"\0" * 72 + struct.pack("<iiii", heads, heads, 1, 0) + b"\0" * 64
    blob += struct.pack("<9i", batch, length, length, 0, dim, length, length, dim, 0)
    blob = blob.ljust(388, b"\0") + struct.pack("<ii", *window)
    return kernel(name, blob.ljust(size, b"\0"), grid=(length // 128, batch, heads))


def test_flash_attention_reads_its_structure():
    problem = attention.flash(flash_work(), signature(FLASH))
    assert (problem.batch, problem.heads, problem.queries, problem.dim) == (12, 12, 1024, 64)
    assert problem.causal
    pairs = 1024 * 1024 - 1024 * 1023 / 2
    assert problem.flops == 2 * 2 * 12 * 12 * pairs * 64


def test_flash_attention_without_mask_takes_longer():
    chain = default_chain()
    masked = chain.estimate(flash_work(), H100)
    whole = chain.estimate(flash_work((-1, -1)), H100)
    assert whole.flops > 1.9 * masked.flops
    assert whole.duration_ns > masked.duration_ns


def _visible(queries, keys, left, right):
    """Counted one by one; the last query's own key is the last one."""
    shift = keys - queries
    return sum(
        (left is None or key >= query + shift - left)
        and (right is None or key <= query + shift + right)
        for query in range(queries)
        for key in range(keys)
    )


@pytest.mark.parametrize("keys", [40, 64, 100])
@pytest.mark.parametrize("window", [(16, 0), (5, 9), (30, -1), (-1, 7), (63, 0), (0, 0)])
def test_a_window_leaves_the_pairs_that_it_shows(window, keys):
    problem = AttentionProblem(1, 1, 1, 64, keys, 64)
    seen = attention._within_window(problem, *window)
    left, right = (None if edge < 0 else edge for edge in window)
    assert seen.pairs == max(keys, _visible(64, keys, left, right))


def test_a_sliding_window_is_charged_for_what_it_shows():
    """An eighth of the work was charged whole."""
    chain, sizes = default_chain(), {"length": 16384, "batch": 1}
    whole = chain.estimate(flash_work((-1, -1), **sizes), H100)
    eighth = chain.estimate(flash_work((2047, 0), **sizes), H100)
    assert whole.flops / eighth.flops == pytest.approx(8, rel=0.1)
    assert 5 < whole.duration_ns / eighth.duration_ns < 8


def test_a_window_of_an_unknown_structure_is_not_understood():
    local = FLASH.replace("false, true, false, false, true", "false, false, true, false, true")
    assert attention.flash(flash_work(name=FLASH, size=456), signature(FLASH)).causal
    work = flash_work(name=local, size=456)
    assert attention.flash(work, signature(local)) is None
    assert not default_chain().estimate(work, H100).understood


def test_unknown_triton_kernels_are_bounded_by_their_sizes():
    blob = POINTER * 3 + struct.pack("<i", 1 << 20)
    work = kernel("triton_poi_fused_add_0", blob, grid=(1024,))
    answer = default_chain().estimate(work, H100)
    assert 1 << 20 < answer.bytes < 64 << 20


def test_batch_norm_reads_its_accessor():
    text = "void at::native::batch_norm_backward_kernel<c10::BFloat16, float, float, int>(int)"
    blob = POINTER + struct.pack("<6i", 4, 32, 12544, 401408, 12544, 1)
    cost = accessors.batch_norm(kernel(text, blob, grid=(32,), block=(512,)), signature(text), H100)
    assert cost.bytes == 4 * 32 * 12544 * 2 * 5


def test_dropout_writes_a_mask_beside_its_result():
    text = (
        "void at::native::(anonymous namespace)::fused_dropout_kernel_vec<c10::BFloat16, float, "
        "unsigned int, 1, 8, bool>(int)"
    )
    blob = (POINTER + b"\0" * 208) * 3 + struct.pack("<If", 1 << 20, 0.9)
    cost = accessors.dropout(kernel(text, blob, grid=(128,), block=(256,)), signature(text), H100)
    assert cost.bytes == 2**20 * (2 + 2 + 1)


def test_a_size_that_was_taken_for_an_address_is_told_by_its_strides():
    text = "void at::native::batch_norm_transform_input_kernel<c10::BFloat16, float, float, int>()"
    blob = POINTER + struct.pack("<2i", 4, 40) + POINTER + struct.pack("<2i", 784, 1)
    cost = accessors.batch_norm(kernel(text, blob, grid=(40, 4)), signature(text), H100)
    assert cost.bytes == 4 * 40 * 784 * 2 * 2


def test_misread_sizes_fall_back_to_a_flagged_guess():
    text = "void at::native::batch_norm_transform_input_kernel<c10::BFloat16, float, float, int>()"
    blob = POINTER + struct.pack("<6i", 1 << 20, 1 << 20, 1 << 20, 1, 1, 1)
    answer = default_chain().estimate(kernel(text, blob, grid=(40, 4)), H100)
    assert answer.source is Source.ASSUMED


@pytest.mark.parametrize(("direction", "first"), [("F", 96), ("B", 144)])
def test_efficient_attention_tells_a_causal_mask_by_one_byte(direction, first):
    text = f"fmha_cutlass{direction}_bf16_aligned_64x128_rf_sm80(Params)"
    sizes = struct.pack("<6i", 128, 128, 2048, 2048, 12, 0x5501)
    work = kernel(text, bytes(first) + sizes, grid=(32, 12, 4))
    problem = attention.efficient(work, signature(text))
    assert problem is not None
    assert problem.causal
    assert (problem.batch, problem.heads, problem.queries) == (4, 12, 2048)


@pytest.mark.parametrize(
    ("element", "groups", "least_tflops", "most_tflops"),
    [("cutlass::bfloat16_t", 1, 500, 900), ("cutlass::float_e4m3_t", 1, 900, 1600),
     ("cutlass::bfloat16_t", 8, 350, 650)],
)  # fmt: skip
def test_products_of_cutlass_have_the_rate_of_their_type(
    element, groups, least_tflops, most_tflops
):
    text = f"void cutlass::device_kernel<GemmUniversal<{element}, cutlass::half_t> >(Params)"
    work = kernel(text, struct.pack("<4i", 4096, 8192, 4096, groups), grid=(132,), block=(384,))
    work = replace(work, fields={**work.fields, "layout": 3})
    answer = default_chain().estimate(work, H100)
    assert answer.flops == 2 * 4096 * 8192 * 4096 * groups
    assert least_tflops < answer.flops / answer.duration_ns / 1e3 < most_tflops


def test_fp8_is_faster_than_bf16_but_not_twice_as_fast():
    chain = default_chain()
    wide, narrow = (chain.estimate(gemm(8192, 8192, 8192, data_type=t), H100) for t in (14, 28))
    assert 1.3 < wide.duration_ns / narrow.duration_ns < 2.0
