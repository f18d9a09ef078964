"""Recurrent layers step by step."""

import pytest

from maya.estimate import default_chain
from maya.hardware import find_gpu
from maya.testing import works

LSTM = {
    "cell": 2, "hidden": 256, "batch": 10, "max_length": 512, "input": 128, "layers": 6, "type": 0,
    "math_type": 1, "directions": 1, "algorithm": 0,
}  # fmt: skip


def duration_ns(name="fwd", device="h100", **change):
    work = works.library(f"cudnn_rnn_{name}", **(LSTM | change))
    return default_chain().estimate(work, find_gpu(device)).duration_ns


@pytest.mark.parametrize("device", ["h100", "l40s", "t4"])
def test_a_small_step_takes_its_launches_on_every_gpu(device):
    step_ns = duration_ns(device=device) / (6 * 512)
    assert 4_000 < step_ns < 17_000  # measured: 5.5 to 12 us


def test_layers_and_directions_follow_each_other():
    assert duration_ns(layers=12) == pytest.approx(2 * duration_ns(), rel=0.05)
    assert duration_ns(directions=2) == pytest.approx(2 * duration_ns(), rel=0.1)
