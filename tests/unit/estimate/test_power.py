"""Variants of a GPU with another power limit."""

import pytest

from maya.estimate import default_chain
from maya.estimate.cost import issue_ns
from maya.estimate.gemm.estimator import parameters
from maya.estimate.gemm.problem import GemmProblem
from maya.hardware import Gpu, find_gpu
from maya.testing.works import add, gemm

LARGE = gemm(8192, 8192, 8192)


def limited(name: str, watts: int) -> Gpu:
    return find_gpu(name).model_copy(update={"power_limit_w": watts})


@pytest.mark.parametrize("name", ["l40s", "l4"])  # measured, and carried over
def test_products_slow_down_by_the_root_of_a_lower_power_limit(name: str) -> None:
    usual = find_gpu(name)
    chain = default_chain()
    whole = chain.estimate(LARGE, usual).duration_ns
    less = chain.estimate(LARGE, limited(name, usual.power_limit_w // 2)).duration_ns
    assert less / whole == pytest.approx(2**0.5, rel=0.02)


def test_kernels_bound_by_memory_keep_their_pace() -> None:
    chain = default_chain()
    work = add(1 << 26)
    assert chain.estimate(work, limited("l40s", 200)) == chain.estimate(work, find_gpu("l40s"))


def test_more_power_than_was_measured_with_does_not_help() -> None:
    chain = default_chain()
    assert chain.estimate(LARGE, limited("l40s", 900)) == chain.estimate(LARGE, find_gpu("l40s"))


def test_rates_that_a_variant_states_itself_are_not_lowered_twice() -> None:
    usual = find_gpu("l40s")
    stated = {name: rate / 2 for name, rate in usual.flops_per_s.items()}
    slow = usual.model_copy(update={"flops_per_s": stated})
    slow_and_limited = slow.model_copy(update={"power_limit_w": 175})
    chain = default_chain()
    assert chain.estimate(LARGE, slow_and_limited) == chain.estimate(LARGE, slow)


def test_boards_with_power_to_spare_are_not_held_to_the_limited_one_that_was_measured():
    """RTX 4090 reaches 0.95 of its peak (Liger's MLPs: 145 TFLOP/s with their elementwise kernels);
    L40S, with a third of the watts for an operation, is at its limit, and L4 further below."""
    problem = GemmProblem(8192, 8192, 8192)
    shares = {n: parameters(problem, find_gpu(n)).efficiency for n in ("rtx4090", "l40s", "l4")}
    assert 0.92 < shares["rtx4090"] < 0.97
    assert shares["l4"] == pytest.approx(shares["l40s"] * (72 / 121 / (350 / 362)) ** 0.5, rel=0.01)


def test_where_energies_are_known_the_estimate_is_that_of_a_burst() -> None:
    chain = default_chain()
    assert chain.estimate(LARGE, limited("h100", 350)) == chain.estimate(LARGE, find_gpu("h100"))


def test_boards_with_few_watts_issue_instructions_at_a_lower_clock() -> None:
    usual, instructions = find_gpu("l4"), 1e12
    more = issue_ns(instructions, limited("l4", 300))
    assert issue_ns(instructions, usual) / more == pytest.approx(1.7, abs=0.1)
    roomy = find_gpu("h100")
    assert issue_ns(instructions, roomy) == issue_ns(
        instructions, limited("h100", roomy.power_limit_w * 2)
    )
