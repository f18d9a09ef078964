"""Floating-point operations of a step and what the GPUs could do in that time."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from maya.estimate import Estimate
from maya.estimate.gemm.problem import gemm_problem
from maya.estimate.library.conv_problem import conv_problem
from maya.hardware import Gpu
from maya.simulator.collate import Job
from maya.trace import Definition
from maya.trace.format import Kind
from maya.trace.problem import DATA_TYPES
from maya.trace.threads import backward_threads

_PRECISIONS = {"fp8e4m3": "fp8", "fp8e5m2": "fp8", "fp4e2m1": "fp4"}


@dataclass(frozen=True, slots=True)
class StepFlops:
    """Per step, over all ranks of the job."""

    hardware: float
    model: float
    peak_per_s: float  # of one GPU, in the precision that does most of the work


def step_flops(job: Job, gpu: Gpu, steps: int, weights: Sequence[int]) -> StepFlops:
    """Count what GEMM, convolution and attention calls do between the measured boundaries.

    The model's share leaves out recomputation: work that the backward threads do beyond twice the
    forward pass is taken as the forward pass done again.
    """
    total, model = 0.0, 0.0
    precisions: Counter[str] = Counter()
    for rank, (calls, meaning) in enumerate(zip(job.ranks, job.definition_tables, strict=True)):
        window = job.windows[rank]
        first, last = np.searchsorted(calls.rows.event, (window.boundaries[0], window.end))
        backward = backward_threads(job.captures[rank])
        numbers, inverse = np.unique(calls.rows.definition[first:last], return_inverse=True)
        flops = np.array([_flops(meaning.estimates, int(n)) for n in numbers])[inverse]
        behind = np.isin(calls.rows.thread[first:last], backward)
        ahead = float(flops[~behind].sum())
        all_of_rank = float(flops.sum())
        total += all_of_rank * weights[rank]
        model += weights[rank] * (
            min(all_of_rank, 3 * ahead) if behind.any() and ahead else all_of_rank
        )
        for number, count in zip(*np.unique(inverse, return_counts=True), strict=True):
            definition = (
                job.captures[rank].definition(int(numbers[number])) if numbers[number] > 0 else None
            )
            if definition is not None and (name := _precision(definition)):
                precisions[name] += int(_flops(meaning.estimates, int(numbers[number])) * count)
    best = precisions.most_common(1)
    return StepFlops(total / steps, model / steps, _peak(gpu, best[0][0] if best else "bf16"))


def _peak(gpu: Gpu, precision: str) -> float:
    rates = gpu.flops_per_s
    if precision == "tf32" and precision not in rates:  # allowed, but the GPU is older than it
        return rates["fp32"]
    return rates.get(precision) or rates.get("fp16") or rates["fp32"]


def _flops(estimates: dict[int, Estimate], number: int) -> float:
    found = estimates.get(number)
    return float(found.flops) if found else 0.0


def _precision(definition: Definition) -> str:
    """As the estimators read it, so that time and utilisation speak of the same units."""
    if definition.kind != Kind.LIBRARY:
        return ""
    problem = gemm_problem(definition)
    if problem is not None:
        return problem.precision
    if definition.op.startswith("cudnn_conv_") and (convolved := conv_problem(definition)):
        return convolved.precision
    name = DATA_TYPES.get(definition.number("a_type", definition.number("x_type", -1)), "")
    return _PRECISIONS.get(name, name)
