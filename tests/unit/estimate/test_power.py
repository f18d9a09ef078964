"""Variants of a GPU with another power limit."""

import pytest

from maya.estimate import default_chain
from maya.hardware import Gpu, find_gpu
from maya.testing.works import add, gemm

LARGE = gemm(8192, 8192, 8192)


def limited(name: str, watts: int) -> Gpu:
    return find_gpu(name).model_copy(update={"power_limit_w": watts})


@pytest.mark.parametrize("name", ["h100", "h100-pcie"])  # measured, and carried over
def test_products_slow_down_by_the_root_of_a_lower_power_limit(name: str) -> None:
    usual = find_gpu(name)
    chain = default_chain()
    whole = chain.estimate(LARGE, usual).duration_ns
    less = chain.estimate(LARGE, limited(name, usual.power_limit_w // 2)).duration_ns
    assert less / whole == pytest.approx(2**0.5, rel=0.02)


def test_kernels_bound_by_memory_keep_their_pace() -> None:
    chain = default_chain()
    work = add(1 << 26)
    assert chain.estimate(work, limited("h100", 350)) == chain.estimate(work, find_gpu("h100"))


def test_more_power_than_was_measured_with_does_not_help() -> None:
    chain = default_chain()
    assert chain.estimate(LARGE, limited("h100", 900)) == chain.estimate(LARGE, find_gpu("h100"))


def test_rates_that_a_variant_states_itself_are_not_lowered_twice() -> None:
    h100 = find_gpu("h100")
    stated = {name: rate / 2 for name, rate in h100.flops_per_s.items()}
    slow = h100.model_copy(update={"flops_per_s": stated})
    slow_and_limited = slow.model_copy(update={"power_limit_w": 350})
    chain = default_chain()
    assert chain.estimate(LARGE, slow_and_limited) == chain.estimate(LARGE, slow)
