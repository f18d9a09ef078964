"""Matrix products of cuBLAS, cuBLASLt and cuDNN."""

from dataclasses import fields, replace
from functools import cache
from math import log

import numpy as np

from maya.estimate.gemm.alignment import with_narrow_loads
from maya.estimate.gemm.problem import GemmProblem, gemm_problem
from maya.estimate.gemm.roofline import Problems, RooflineParameters, roofline
from maya.estimate.parameters import fitted_as, load
from maya.estimate.power import as_catalogued
from maya.estimate.sustained import load_parameters
from maya.estimate.types import Estimate, Source
from maya.hardware import Gpu, find_gpu
from maya.trace import Definition
from maya.trace.format import Kind

_SUBSTITUTES = {
    "fp64_tensor": ("fp64",),
    "tf32": ("fp32",),
    "bf16": ("fp32",),  # before Ampere bf16 has no tensor cores
    "fp16": ("fp32",),
    "fp8": ("bf16", "fp16"),
    "fp4": ("fp8", "bf16"),
    "int8": ("fp16",),
}

_NAMES = {field.name for field in fields(RooflineParameters)}
# What left-out rows are off by; fp32 kernels are chosen among more, which no table tells apart.
_DOUBT = {"tensor": 0.12, "fp8": 0.12, "simt": 0.16}
_SMALL_TILE = 1 / 8  # against the largest: between them a power of the size describes the loss


class RooflineGemm:
    """Analytical: any type, layout and batch on any device."""

    def estimate(self, work: Definition, device: Gpu) -> Estimate | None:
        """None where the record is no matrix product."""
        if work.kind != Kind.LIBRARY:
            return None
        problem = gemm_problem(work)
        return gemm_estimate(problem, device) if problem else None


def gemm_estimate(problem: GemmProblem, device: Gpu) -> Estimate:
    """The roofline's answer."""
    rate = peak(problem, device)
    duration, doubt = with_narrow_loads(roofline_ns(problem, device), problem, device, rate)
    uncertainty = _DOUBT[_kind(problem, device)] + doubt
    return Estimate(
        max(1, round(duration)), Source.ANALYTICAL, uncertainty, problem.flops, problem.bytes
    )


def roofline_ns(problem: GemmProblem, device: Gpu) -> float:
    """Time of one product."""
    fitted = parameters(problem, device)
    times = roofline(as_problems(problem), device, peak(problem, device), fitted)
    return float(times.total_ns[0])


def as_problems(problem: GemmProblem) -> Problems:
    """One problem as columns."""
    m, n, k, batch = (
        np.array([float(value)]) for value in (problem.m, problem.n, problem.k, problem.batch)
    )
    return Problems(m, n, k, batch, problem.in_bytes, problem.out_bytes)


def peak(problem: GemmProblem, device: Gpu) -> float:
    """The data sheet's rate for the type, or for what the library computes in instead."""
    rates = device.flops_per_s
    for name in (problem.precision, *_SUBSTITUTES.get(problem.precision, ())):
        if name in rates:
            return rates[name]
    return rates["fp32"]


def parameters(problem: GemmProblem, device: Gpu) -> RooflineParameters:
    """Fitted for the GPU, else its architecture, else typical; by class of arithmetic."""
    kind = _kind(problem, device)
    table = load("gemm.json")[kind]
    architecture = fitted_as(device)
    values = table.get(device.id) or table.get(architecture) or table["default"]
    fitted = RooflineParameters(**{name: values[name] for name in values if name in _NAMES})
    if "watt_share" in values:
        return _within_watts(fitted, values, problem, device)
    if device.id in table or architecture not in table:
        return fitted
    return _carried_over(fitted, kind, architecture, problem, as_catalogued(device))


def _carried_over(
    fitted: RooflineParameters, kind: str, architecture: str, problem: GemmProblem, board: Gpu
) -> RooflineParameters:
    """To a board of the architecture that was not measured; what a variant of it changes is in the
    rates already."""
    measured = _measured(kind, architecture)
    pace = _a_cycle(problem, board) / _a_cycle(problem, measured)
    watts = _power(problem, board) / _power(problem, measured)
    efficiency = _at_pace(fitted.efficiency, pace)
    unlimited = load("gemm.json")["power_limited"].get(architecture) if kind == "tensor" else None
    if unlimited:
        efficiency = min(_unlimited(problem, board, unlimited), fitted.efficiency * watts**0.5)
    power = _small_tile_power(problem, board, measured, fitted, efficiency)
    if kind != "simt" and not unlimited and load_parameters(board) is None:
        efficiency *= min(1.0, watts) ** 0.5
    return replace(fitted, efficiency=efficiency, small_tile_power=power)


def _unlimited(problem: GemmProblem, board: Gpu, architecture: str) -> float:
    """What a board with power to spare reaches, where the one that was measured had too little: the
    share of an architecture with kernels of the same kind, at this board's pace."""
    fitted = load("gemm.json")["tensor"][architecture]
    measured = _measured("tensor", architecture)
    pace = _a_cycle(problem, board) / _a_cycle(problem, measured)
    return _at_pace(fitted["efficiency"], pace)


def _within_watts(
    fitted: RooflineParameters, values: dict[str, float], problem: GemmProblem, device: Gpu
) -> RooflineParameters:
    """fp32 on GPUs of one process (Hopper, Ada, Blackwell): the share of the peak that the board's
    watts for an operation allow, which follows their root; a linear layer's kernel takes more."""
    watts = device.power_limit_w / (peak(problem, device) * 1e-12)
    share = min(fitted.efficiency, values["watt_share"] * watts**0.5)
    if problem.layout == "tn":
        share = min(share, values["tn"] * watts ** values["tn_power"])
    return replace(fitted, efficiency=share)


def _small_tile_power(
    problem: GemmProblem, board: Gpu, measured: Gpu, fitted: RooflineParameters, efficiency: float
) -> float:
    """Small tiles fetch operands more often, which weighs less the slower the arithmetic is against
    the bandwidth: that of memory stands for L2's, which no data sheet has, and is not held against
    a GPU that has less of it."""
    fetched = (_SMALL_TILE**-fitted.small_tile_power - 1) / fitted.efficiency
    bandwidth = board.memory_bandwidth_bytes_per_s / measured.memory_bandwidth_bytes_per_s
    weight = min(1.0, peak(problem, board) / peak(problem, measured) / bandwidth)
    return log(1 + efficiency * fetched * weight) / -log(_SMALL_TILE)


def _at_pace(share: float, pace: float) -> float:
    """Of the peak, where arithmetic takes 1 / pace of the cycles and all else as many as before."""
    return 1 / (1 + (1 / share - 1) * pace)


def _kind(problem: GemmProblem, device: Gpu) -> str:
    """Which table of fits: eight bits have their own where there are measurements."""
    if problem.precision in ("fp32", "fp64"):
        return "simt"
    eight = problem.precision in ("fp8", "fp4") and fitted_as(device) in load("gemm.json")["fp8"]
    return "fp8" if eight else "tensor"


def _a_cycle(problem: GemmProblem, device: Gpu) -> float:
    """Operations of an SM in a cycle. What a kernel loses beside them (filling shared memory,
    addresses, barriers) takes cycles: the slower the arithmetic, the less it loses by that."""
    return peak(problem, device) / (device.sm_count * device.clock_mhz)


def _power(problem: GemmProblem, device: Gpu) -> float:
    """Watts for an operation at the full rate. Boards with less than the measured one lower clock
    and voltage together: the rate follows the root of the power. Assumed."""
    return device.power_limit_w / peak(problem, device)


@cache
def _measured(kind: str, architecture: str) -> Gpu:
    """The GPU whose fit stands for its architecture."""
    table = load("gemm.json")[kind]
    fits = (name for name, values in table.items() if values == table[architecture])
    return find_gpu(next(name for name in fits if name != architecture))
