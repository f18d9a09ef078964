"""CPU times follow the machine that emulated and the machine that is predicted."""

import json

import pytest

from maya.analyze.notes import notes_of
from maya.analyze.predict import host_factor
from maya.emulate.yardstick import Yardstick, round_ns
from maya.hardware import find_cluster, find_host
from maya.trace import Run
from maya.trace.machine import yardstick_of


class _Capture:
    def __init__(self, path):
        self.path = path


def _run(tmp_path, text):
    (tmp_path / "run.json").write_text(text)
    return [_Capture(tmp_path / "1.maya")]


def test_a_slower_emulating_machine_makes_no_slower_prediction(tmp_path):
    cluster = find_cluster("h100:1")
    slow = _run(tmp_path, json.dumps({"host": {"yardstick_ns": 2 * cluster.host.reference_ns}}))
    assert host_factor(slow, cluster) == pytest.approx(0.5 / cluster.host.speed)


def test_the_same_host_leaves_measured_times_alone(tmp_path):
    cluster = find_cluster("h100:1").model_copy(update={"host": find_host("same")})
    slow = _run(tmp_path, json.dumps({"host": {"yardstick_ns": 1}}))
    assert host_factor(slow, cluster) == 1.0


@pytest.mark.parametrize("text", ["{}", "[]", "no json", '{"host": {"yardstick_ns": 0}}'])
def test_a_run_without_a_yardstick_is_taken_as_the_reference(tmp_path, text):
    captures = _run(tmp_path, text)
    assert yardstick_of(captures) is None
    cluster = find_cluster("a100-80:1")
    assert host_factor(captures, cluster) == pytest.approx(1 / cluster.host.speed)


def test_the_yardstick_measures_until_it_is_put_away():
    with Yardstick() as yardstick:
        pass
    assert yardstick.cpu_ns > 0
    assert yardstick.crowd >= 0
    assert round_ns() > 0


@pytest.mark.parametrize(
    ("host", "said"),
    [({"load_per_cpu": 9.6}, True), ({"load_per_cpu": 1.2}, False), ({}, False), ("old", False)],
)
def test_a_crowded_machine_is_told_of(tmp_path, host, said):
    run = Run(tmp_path, (), {"host": host})
    notes = notes_of(run, find_cluster("h100:1"), steady=True)
    assert any("10 threads wanted each CPU" in note for note in notes) == said
