"""Where the slowdown of a class of kernels comes from on GPUs that did not measure it."""

from statistics import geometric_mean

import pytest

from maya.estimate.gemm.learned import learned_estimate
from maya.estimate.gemm.problem import GemmProblem
from maya.estimate.parameters import DeviceParameters, device_parameters, fitted_as, load
from maya.hardware import find_gpu


def measured(kind):
    gpus = load("memory.json")["gpus"]
    return {name: gpu["classes"][kind] for name, gpu in gpus.items() if kind in gpu["classes"]}


def test_a_class_that_a_gpu_did_not_measure_is_that_of_its_architecture():
    kind = "layer_norm"
    assert "a100-80" not in measured(kind)
    found = device_parameters(find_gpu("a100-80")).slowdown(kind)
    assert found == load("memory.json")["architectures"]["ampere"]["classes"][kind]


def test_a_class_that_no_gpu_of_the_architecture_measured_is_the_mean_of_the_others():
    kind = "softmax_block"
    assert kind not in load("memory.json")["architectures"]["blackwell"]["classes"]
    found = device_parameters(find_gpu("b200")).slowdown(kind)
    assert found == pytest.approx(geometric_mean(measured(kind).values()))


def test_no_class_is_faster_than_memory():
    fast = DeviceParameters(memory_efficiency=0.9, classes={"softmax_warp": 0.7, "ln": 1.2})
    assert 0.9 / fast.slowdown("softmax_warp") == pytest.approx(0.94)
    assert fast.slowdown("ln") == 1.2
    assert fast.slowdown("plain") == 1.0


def test_geforce_blackwell_takes_the_fits_of_ada():
    rtx5090, rtx4090 = find_gpu("rtx5090"), find_gpu("rtx4090")
    assert fitted_as(rtx5090) == fitted_as(rtx4090) == "ada"
    assert fitted_as(find_gpu("b200")) == "blackwell"


def test_the_same_chip_at_another_clock_is_corrected_alike():
    problem = GemmProblem(8192, 8192, 8192)
    times = {
        name: learned_estimate(problem, find_gpu(name)).duration_ns for name in ("b200", "gb200")
    }
    assert times["b200"] / times["gb200"] == pytest.approx(2500 / 2250, rel=0.05)
    assert learned_estimate(problem, find_gpu("rtx5090")) is None
