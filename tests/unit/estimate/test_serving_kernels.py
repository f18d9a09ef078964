"""Kernels of inference servers: sizes and durations, computed by hand."""

import struct

import pytest

from maya.estimate.kernels.estimator import kernel_cost
from maya.estimate.kernels.serving import lengths_rates
from maya.hardware import find_gpu
from maya.testing.works import POINTER, add, kernel

H100 = find_gpu("h100")
FLASH_3 = (
    "_ZN7cutlass13device_kernelIN5flash20enable_sm90_or_laterINS1_16FlashAttnFwdSm90INS1_25Collective"
    "MainloopFwdSm90ILi2EEEEEEEvNT_6ParamsE"
)


def _flash(tokens: int, heads: int, kv_heads: int, dim: int) -> bytes:
    """The parameters as far as they are read."""
    queries = struct.pack("<4i", tokens, dim, heads, 1)
    pages = struct.pack("<4i", 16, dim, kv_heads, 1000)
    return bytes(48) + POINTER + queries + bytes(80) + POINTER + pages + bytes(100)


def test_attention_over_a_cache_takes_what_its_lengths_ask_for() -> None:
    rates = lengths_rates(kernel(FLASH_3, _flash(64, 32, 8, 128), grid=(132,)), H100)
    assert rates is not None
    # 64 requests of 4,096 tokens: SGLang's measured 356 us are with a plan of about 3 us.
    keys = 64 * 4096
    total_ns = rates.base_ns + 64 * rates.request_ns + keys * rates.key_ns
    assert total_ns == pytest.approx(353_000, rel=0.1)
    assert keys * rates.pair_ns < keys * rates.key_ns  # decoding is bound by memory


def test_more_key_heads_are_more_to_read() -> None:
    grouped = lengths_rates(kernel(FLASH_3, _flash(1, 32, 8, 128), grid=(132,)), H100)
    plain = lengths_rates(kernel(FLASH_3, _flash(1, 32, 32, 128), grid=(132,)), H100)
    assert grouped is not None
    assert plain is not None
    assert plain.key_ns == pytest.approx(4 * grouped.key_ns)
    assert plain.pair_ns == grouped.pair_ns


def test_other_kernels_do_not_depend_on_lengths_nor_does_what_makes_no_sense() -> None:
    assert lengths_rates(add(1 << 20), H100) is None
    assert lengths_rates(kernel(FLASH_3, bytes(300), grid=(132,)), H100) is None


@pytest.mark.parametrize(
    ("name", "blob", "moved"),
    [
        ("void vllm::rms_norm_kernel<c10::BFloat16, 8, 2>(c10::BFloat16*)",
         POINTER * 2 + bytes(40) + POINTER + struct.pack("<fii", 1e-5, 7, 4096), 2 * 7 * 4096 * 2),
        ("void vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>(c10::BFloat16*)",
         POINTER + bytes(8) + POINTER * 2 + struct.pack("<fii", 1e-5, 7, 4096), 4 * 7 * 4096 * 2),
        ("void vllm::act_and_mul_kernel<c10::BFloat16>(c10::BFloat16*)",
         POINTER * 2 + struct.pack("<i", 14336), 3 * 7 * 14336 * 2),
        ("void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*)",
         POINTER * 4 + struct.pack("<i4x3q3i", 128, 1, 1, 1, 32, 8, 128), 2 * 7 * 40 * 128 * 2),
        ("void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16>(__nv_bfloat16 const*)",
         POINTER * 5 + bytes(40) + struct.pack("<3i4x", 8, 128, 16) + POINTER * 2,
         4 * 7 * 8 * 128 * 2),
    ],
)  # fmt: skip
def test_kernels_of_vllm_move_what_their_tokens_need(name: str, blob: bytes, moved: int) -> None:
    cost = kernel_cost(kernel(name, blob, grid=(7,)), H100)
    assert cost is not None
    assert cost.bytes == moved
