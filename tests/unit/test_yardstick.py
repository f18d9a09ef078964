"""CPU times follow the machine that emulated and the machine that is predicted."""

from dataclasses import replace

import pytest
from run_facts import USUAL

from maya.analyze.host_pace import crowded, host_factor
from maya.analyze.notes import notes_of
from maya.emulator.yardstick import Yardstick, round_ns
from maya.hardware import find_cluster, find_host
from maya.rundir import HostFacts
from maya.trace import Run


def _run(tmp_path, yardstick_ns, load_per_cpu=0.0):
    host = HostFacts(yardstick_ns, load_per_cpu)
    return Run(tmp_path, (), replace(USUAL, host=host))


def test_a_slower_emulating_machine_makes_no_slower_prediction(tmp_path):
    cluster = find_cluster("h100:1")
    slow = _run(tmp_path, 2 * cluster.host.reference_ns)
    assert host_factor(slow, cluster) == pytest.approx(0.5 / cluster.host.speed)


def test_the_same_host_leaves_measured_times_alone(tmp_path):
    cluster = find_cluster("h100:1").model_copy(update={"host": find_host("same")})
    assert host_factor(_run(tmp_path, 1), cluster) == 1.0


@pytest.mark.parametrize("facts", [None, USUAL, replace(USUAL, host=HostFacts(0))])
def test_a_run_without_a_yardstick_is_taken_as_the_reference(tmp_path, facts):
    run = Run(tmp_path, (), facts)
    assert run.yardstick_ns is None
    cluster = find_cluster("a100-80:1")
    assert host_factor(run, cluster) == pytest.approx(1 / cluster.host.speed)


def test_the_yardstick_measures_until_it_is_put_away():
    with Yardstick() as yardstick:
        pass
    assert yardstick.cpu_ns > 0
    assert yardstick.crowd >= 0
    assert round_ns() > 0


@pytest.mark.parametrize(("load", "said"), [(9.6, True), (1.2, False), (0.0, False)])
def test_a_crowded_machine_is_told_of(tmp_path, load, said):
    notes = notes_of(_run(tmp_path, 1, load), find_cluster("h100:1"), steady=True)
    assert any("10 threads wanted each CPU" in note for note in notes) == said


def test_ranks_that_share_a_server_slow_each_other_down() -> None:
    alone, pair, full = (
        crowded(find_cluster("h100:8x2"), ranks).host.speed for ranks in (1, 2, 16)
    )
    host = find_cluster("h100:8x2").host
    assert alone == host.speed
    assert full == pytest.approx(host.speed / host.crowding)
    assert full < pair < alone
