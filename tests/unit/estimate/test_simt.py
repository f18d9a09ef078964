"""fp32 products without tensor cores, and sums of very many terms."""

import numpy as np
import pytest

from maya.estimate.gemm.estimator import gemm_estimate, parameters
from maya.estimate.gemm.problem import GemmProblem
from maya.estimate.gemm.roofline import Problems, RooflineParameters, roofline
from maya.hardware import find_gpu


def fp32(m, n, k, layout="nn", batch=1):
    return GemmProblem(m, n, k, batch, "fp32", 4.0, 4.0, layout)


def share(gpu_id, problem):
    gpu = find_gpu(gpu_id)
    seconds = gemm_estimate(problem, gpu).duration_ns * 1e-9
    return problem.flops / seconds / gpu.flops_per_s["fp32"]


def test_boards_with_fewer_watts_for_an_operation_reach_a_smaller_share():
    large = fp32(8192, 8192, 8192)
    shares = [share(name, large) for name in ("l4", "l40s", "h100-pcie", "h100")]
    assert shares == sorted(shares)
    root = (72 / 30.3) ** 0.5 / (350 / 91.6) ** 0.5
    assert shares[0] / shares[1] == pytest.approx(root, rel=0.05)


def test_a_lower_power_limit_lowers_fp32_too():
    h100 = find_gpu("h100")
    capped = h100.model_copy(update={"power_limit_w": 350})
    problem = fp32(8192, 8192, 8192)
    assert parameters(problem, capped).efficiency < 0.9 * parameters(problem, h100).efficiency


def test_linear_layers_are_slower_than_plain_products_where_watts_are_short():
    linear, plain = (fp32(2048, 4096, 8192, layout) for layout in ("tn", "nn"))
    assert share("l40s", linear) < 0.8 * share("l40s", plain)
    assert share("h100-pcie", linear) < 0.9 * share("h100-pcie", plain)
    assert share("h100", linear) == pytest.approx(share("h100", plain), rel=0.04)


def test_results_that_outweigh_the_arithmetic_are_not_hidden():
    gpu, problem = find_gpu("l40s"), fp32(32768, 32768, 32)
    written_ns = 32768**2 * 4 / gpu.memory_bandwidth_bytes_per_s * 1e9
    assert gemm_estimate(problem, gpu).duration_ns > 1.2 * written_ns


def test_few_results_of_very_many_terms_are_split_over_the_device():
    gpu = find_gpu("a100-80")
    sizes = (np.array([float(size)]) for size in (16, 16, 1 << 21, 1))
    times = roofline(Problems(*sizes, 2.0, 2.0), gpu, 312e12, RooflineParameters())
    assert times.split[0] > 16
    assert times.total_ns[0] < 3 * times.memory_ns[0]


def test_shorter_sums_are_split_as_before():
    gpu = find_gpu("a100-80")
    sizes = (np.array([float(size)]) for size in (16, 16, 32768, 1))
    assert roofline(Problems(*sizes, 2.0, 2.0), gpu, 312e12, RooflineParameters()).split[0] <= 16
