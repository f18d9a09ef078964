"""Clocks that power allows, and the slowest of many GPUs."""

from dataclasses import replace

import pytest

from maya.estimate.sustained import (
    Demand,
    LoadParameters,
    draw_w,
    load_parameters,
    slowest,
    slowest_at,
    steady_clock,
)
from maya.hardware import find_gpu

H100 = find_gpu("h100")
BUSY = Demand(tensor_flops=7e14, moved_bytes=5e11, duration_s=1.0)
LIGHT = Demand(tensor_flops=1e14, moved_bytes=2e12, duration_s=1.0)


def known() -> LoadParameters:
    found = load_parameters(H100)
    assert found
    return found


def test_the_clock_falls_until_the_mean_power_fits_the_board() -> None:
    clock = steady_clock(BUSY, H100.power_limit_w, known())
    assert 0.6 < clock < 0.95
    assert draw_w(BUSY, clock, known()) == pytest.approx(H100.power_limit_w, rel=1e-3)


def test_a_kernel_that_draws_little_keeps_its_clock() -> None:
    assert steady_clock(LIGHT, H100.power_limit_w, known()) == 1.0


def test_a_board_with_less_power_runs_slower() -> None:
    assert steady_clock(BUSY, 500, known()) < steady_clock(BUSY, 700, known())


def test_nothing_is_assumed_of_generations_that_nobody_measured() -> None:
    assert load_parameters(find_gpu("rtx3090")) is None


def test_each_doubling_of_gpus_costs_about_the_same() -> None:
    steps = [slowest(2 * count, known()) - slowest(count, known()) for count in (64, 128, 256)]
    assert steps == pytest.approx([known().spread * 0.693] * 3, rel=0.02)
    assert slowest(1, known()) == 0.0


def test_half_of_all_machines_lie_below_the_median_and_few_above_p95() -> None:
    assert slowest_at(0.5, 8, known()) < slowest(8, known()) < slowest_at(0.95, 8, known())


def test_instructions_of_the_generation_before_draw_more() -> None:
    older = replace(BUSY, own_instructions=False)
    assert steady_clock(older, H100.power_limit_w, known()) < steady_clock(
        BUSY, H100.power_limit_w, known()
    )
