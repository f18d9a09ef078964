"""Where the slowdown of a class of kernels comes from on GPUs that did not measure it."""

from statistics import geometric_mean

import pytest

from maya.estimate.parameters import DeviceParameters, device_parameters, load
from maya.hardware import find_gpu


def measured(kind):
    gpus = load("memory.json")["gpus"]
    return {name: gpu["classes"][kind] for name, gpu in gpus.items() if kind in gpu["classes"]}


@pytest.mark.parametrize("kind", ["layer_norm", "softmax_block"])
def test_a_class_that_a_gpu_did_not_measure_is_that_of_its_architecture(kind):
    assert "a100-80" not in measured(kind)
    found = device_parameters(find_gpu("a100-80")).slowdown(kind)
    assert found == measured(kind)["a100-40"]


@pytest.mark.parametrize("kind", ["layer_norm", "softmax_block"])
def test_a_class_that_no_gpu_of_the_architecture_measured_is_the_mean_of_the_others(kind):
    found = device_parameters(find_gpu("h100")).slowdown(kind)
    assert found == pytest.approx(geometric_mean(measured(kind).values()))


def test_no_class_is_faster_than_memory():
    fast = DeviceParameters(memory_efficiency=0.9, classes={"softmax_warp": 0.7, "ln": 1.2})
    assert 0.9 / fast.slowdown("softmax_warp") == pytest.approx(0.94)
    assert fast.slowdown("ln") == 1.2
    assert fast.slowdown("plain") == 1.0
