"""Products on GPUs with measurements of their type: the roofline, corrected by boosted trees."""

from functools import cache
from typing import Any

import numpy as np

from maya.estimate.gemm.alignment import with_narrow_loads
from maya.estimate.gemm.estimator import as_problems, parameters, peak
from maya.estimate.gemm.features import features
from maya.estimate.gemm.problem import GemmProblem, gemm_problem
from maya.estimate.gemm.roofline import roofline
from maya.estimate.parameters import load, load_bytes
from maya.estimate.trees import Trees, load_trees
from maya.estimate.types import Estimate, Source
from maya.hardware import Gpu, find_gpu
from maya.trace import Definition
from maya.trace.format import Kind
from maya.units import NS_PER_S

_KINDS = {"bf16": "gemm", "fp16": "gemm", "fp32": "simt"}
# The same chip with other memory, links or clocks: what trees correct is the chip's.
_SAME_CHIP = {
    "a100-40": "a100-80", "a100-80": "a100-40", "a800": "a100-80", "v100-16": "v100-32",
    "h100-96": "h100", "h800": "h100", "gh200": "h200",
    "gb200": "b200", "b300": "b200", "gb300": "b200",
}  # fmt: skip
_CHIP_UNCERTAINTY = 0.08
_MOST_CORRECTION = 0.7  # of the logarithm: trees do not extrapolate
# Measured layouts are those of a linear layer's forward; others differ by some per cent.
_LAYOUT_UNCERTAINTY = {"tn": 0.0}
_OTHER_LAYOUT = 0.04
_SIMT_UNCERTAINTY = 0.12
_CLOCK_UNCERTAINTY = 0.2  # where the clock in whole models is another than in a sweep of products


class LearnedGemm:
    """Answers where a correction was fitted for the GPU."""

    def estimate(self, work: Definition, device: Gpu) -> Estimate | None:
        """None for other types, batches and GPUs."""
        if work.kind != Kind.LIBRARY:
            return None
        problem = gemm_problem(work)
        kind = _KINDS.get(problem.precision) if problem else None
        if problem is None or kind is None or (kind == "gemm" and problem.batch > 1):
            return None
        return learned_estimate(problem, device, kind)


def learned_estimate(problem: GemmProblem, device: Gpu, kind: str = "gemm") -> Estimate | None:
    """The corrected roofline."""
    trees = trees_of(device.id, kind)
    if trees is None:
        return None
    columns = as_problems(problem)
    # Trees know the GPU as it was measured: on a variant of it they would take another bandwidth
    # for another problem, and a better GPU could come out slower.
    measured = find_gpu(device.id)
    times = roofline(columns, measured, peak(problem, measured), parameters(problem, measured))
    correction = trees.predict(features(columns, times, measured))
    bounded = np.clip(correction, -_MOST_CORRECTION, _MOST_CORRECTION)
    if device != measured:
        times = roofline(columns, device, peak(problem, device), parameters(problem, device))
    duration = float(times.total_ns[0] * np.exp(bounded[0]))
    if kind == "gemm":
        duration = max(duration, least_ns(problem.flops, problem.precision, device))
    sigma: float = load("gemm.json")["uncertainty"].get(device.id, _CHIP_UNCERTAINTY)
    if kind == "simt":
        factor = in_models(device.id)
        duration *= factor
        sigma = _SIMT_UNCERTAINTY if factor == 1.0 else _CLOCK_UNCERTAINTY
    duration, doubt = with_narrow_loads(duration, problem, device, peak(problem, device))
    uncertainty = sigma + _LAYOUT_UNCERTAINTY.get(problem.layout, _OTHER_LAYOUT) + doubt
    return Estimate(
        max(1, round(duration)), Source.LEARNED, uncertainty, problem.flops, problem.bytes
    )


def in_models(gpu_id: str) -> float:
    """Time of fp32 products in whole models over that in a sweep of nothing else."""
    factor: float = load("gemm.json")["in_models"].get(gpu_id, 1.0)
    return factor


def least_ns(flops: Any, precision: str, device: Gpu) -> Any:
    """No product is faster than those that were measured, whatever trees make of its sizes."""
    shares = load("gemm.json")["most_share"]
    share = shares.get(device.id) or shares.get(_SAME_CHIP.get(device.id, ""), 1.0)
    rate = device.flops_per_s.get(precision, device.flops_per_s["fp32"])
    return flops / (rate * share) * NS_PER_S


@cache
def trees_of(gpu_id: str, kind: str = "gemm") -> Trees | None:
    """The correction for a GPU, or None."""
    data = load_bytes(f"{kind}_{gpu_id}.npz")
    if data is None and gpu_id in _SAME_CHIP:
        data = load_bytes(f"{kind}_{_SAME_CHIP[gpu_id]}.npz")
    return load_trees(data) if data else None
