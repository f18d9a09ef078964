"""Caches that others emptied while the program was not running are no part of its host cost."""

import numpy as np
import pytest

from maya.simulator.cold_caches import (
    REFILL_NS,
    fitted_depth,
    since_switch_ns,
    without_refill,
)
from maya.simulator.host_cost import usual_ns
from maya.simulator.rows import I64, Rows

STEPS, CALLS = 60, 200
TRUE_NS = np.tile(np.random.default_rng(5).integers(4_000, 40_000, CALLS), STEPS)
PLACE = np.tile(np.arange(CALLS), STEPS)


def recording(slice_ns: int, depth: float) -> Rows:
    """A program that loses its core whenever it has had it for `slice_ns`."""
    noise = np.random.default_rng(7).uniform(1, 1.1, len(TRUE_NS))
    cpu, start = np.zeros(len(TRUE_NS), np.int64), np.zeros(len(TRUE_NS), np.int64)
    clock, since = 0, slice_ns
    for index, true in enumerate(TRUE_NS * noise):
        if since >= slice_ns:
            clock, since = clock + 20_000_000, 0
        slowdown = 1 + depth * np.exp(-(since + true / 2) / REFILL_NS)
        cpu[index] = true * slowdown
        since, clock = since + int(cpu[index]), clock + int(cpu[index])
        start[index] = clock
    zero = np.zeros(len(cpu), np.int64)
    return Rows(PLACE, zero, zero, start, cpu, zero, zero, zero, np.arange(len(cpu)))


def step_ns(cpu_ns: I64) -> float:
    return float(usual_ns(cpu_ns, PLACE, PLACE, np.zeros(len(PLACE), bool))[:CALLS].sum())


@pytest.mark.parametrize("slice_ns", [1_500_000, 4_000_000])
@pytest.mark.parametrize("depth", [0.5, 1.5])
def test_a_crowded_machine_predicts_what_a_quiet_one_does(slice_ns: int, depth: float) -> None:
    quiet, crowded = recording(10**12, depth), recording(slice_ns, depth)
    since = since_switch_ns(crowded)
    found = step_ns(without_refill(crowded.cpu_ns, since, PLACE))
    assert fitted_depth(crowded.cpu_ns, since, PLACE) == pytest.approx(depth, rel=0.2)
    assert found == pytest.approx(step_ns(quiet.cpu_ns), rel=0.04)
    assert abs(found / step_ns(quiet.cpu_ns) - 1) < abs(
        step_ns(crowded.cpu_ns) / step_ns(quiet.cpu_ns) - 1
    )


def test_a_program_that_kept_its_core_is_taken_as_it_was_measured() -> None:
    rows = recording(10**12, 1.0)
    warm = without_refill(rows.cpu_ns, since_switch_ns(rows), PLACE)
    assert np.array_equal(warm, rows.cpu_ns)


def test_time_since_a_switch_starts_anew_after_each() -> None:
    def column(*values: int) -> I64:
        return np.array(values, np.int64)

    zero = np.zeros(4, np.int64)
    start, call = column(1_000, 2_100, 9_000_000, 9_001_000), column(100, 100, 100, 100)
    cpu = column(1_000, 1_000, 700, 900)
    rows = Rows(zero, zero, zero, start, cpu, call, zero, zero, np.arange(4))
    assert since_switch_ns(rows).tolist() == [0, 1_000, 0, 700]
