"""What sustained load makes of a program: the calls that follow the clock, and how far."""

from dataclasses import dataclass, replace

import numpy as np

from maya.estimate import Estimate
from maya.estimate.gemm.problem import gemm_problem
from maya.estimate.sustained import Demand, LoadParameters, steady_clock
from maya.hardware import Gpu
from maya.simulator.collate import Job
from maya.simulator.program import Array, Program
from maya.trace import Definition
from maya.trace.format import Kind
from maya.units import NS_PER_S

_CONVOLUTIONS = "cudnn_conv"
_WITHOUT_TENSOR_CORES = ("fp32", "fp64")
_BOUND_BY_MEMORY = 0.8  # share of a kernel's time that its bytes alone would take


@dataclass(frozen=True, slots=True)
class Clocked:
    """By call: whether the SM clock sets its pace, and what the steady clock makes it longer."""

    calls: Array
    stretch: Array

    def steady(self, program: Program) -> Program:
        """The program at the clocks that power allows."""
        return _longer(program, self.stretch)

    def slower(self, program: Program, lag: float) -> Program:
        """The program on GPUs that are slower by `lag`."""
        return _longer(program, np.where(self.calls, 1 + lag, 1.0))

    def mean_clock(self, program: Program) -> float:
        """Of all clocked work."""
        times = program.calls.duration_ns[self.calls]
        total = float((times * self.stretch[self.calls]).sum())
        return float(times.sum()) / total if total else 1.0


def clocked_work(job: Job, gpu: Gpu, known: LoadParameters) -> Clocked:
    """Look at every definition once."""
    flags, factors = [], []
    for capture, calls, table in zip(job.captures, job.ranks, job.definition_tables, strict=True):
        size = len(table.duration_ns)
        clocked, stretch = np.zeros(size, bool), np.ones(size)
        for number, estimate in table.estimates.items():
            found = steady_stretch(capture.definition(number), estimate, gpu, known)
            if found is not None:
                clocked[number], stretch[number] = True, found
        numbers = np.maximum(calls.rows.definition, 0)
        flags.append(clocked[numbers])
        factors.append(stretch[numbers])
    return Clocked(np.concatenate(flags), np.concatenate(factors))


def steady_stretch(
    definition: Definition, estimate: Estimate, gpu: Gpu, known: LoadParameters
) -> float | None:
    """What the steady clock makes the work longer; None where another clock sets its pace."""
    demand = demand_of(definition, estimate, gpu)
    return None if demand is None else 1 / steady_clock(demand, gpu.power_limit_w, known)


def demand_of(definition: Definition, estimate: Estimate, gpu: Gpu) -> Demand | None:
    """None for work that other units or the memory set the pace of, or whose clock was measured."""
    if estimate.under_load:
        return None
    rate = _tensor_rate(definition, gpu) if estimate.flops else 0.0
    memory_ns = estimate.bytes / gpu.memory_bandwidth_bytes_per_s * NS_PER_S
    if not rate or memory_ns > _BOUND_BY_MEMORY * estimate.duration_ns:
        return None
    return Demand(
        tensor_flops=estimate.flops * gpu.flops_per_s["fp16"] / rate,
        moved_bytes=estimate.bytes,
        duration_s=estimate.duration_ns / NS_PER_S,
        own_instructions=definition.kind == Kind.LIBRARY,
    )


def _tensor_rate(definition: Definition, gpu: Gpu) -> float:
    """Of the type that tensor cores compute in; zero for types that they do not.

    Zero for convolutions, too: published steps of image models do not ask for more time.
    """
    rates = gpu.flops_per_s
    if definition.kind != Kind.LIBRARY:
        return rates.get("fp16", 0.0)
    if definition.op.startswith(_CONVOLUTIONS):
        return 0.0
    problem = gemm_problem(definition)
    if problem is None:
        return rates.get("fp16", 0.0)
    return 0.0 if problem.precision in _WITHOUT_TENSOR_CORES else rates.get(problem.precision, 0.0)


def _longer(program: Program, factor: Array) -> Program:
    calls = program.calls
    durations = np.rint(calls.duration_ns * factor).astype(np.int64)
    return replace(program, calls=replace(calls, duration_ns=durations))
