"""GPUs under sustained load: the clock that their power allows, and how far they differ.

Kernels are measured one by one, in bursts or with data that is easy on the arithmetic. Training
draws more power for longer than a board may: it lowers the clock until the power fits. And GPUs of
one model differ in leakage and cooling, so the slowest of many sets the pace of a job.
"""

import math
from dataclasses import dataclass

from maya.estimate.parameters import load
from maya.hardware import Gpu

_LEAST_CLOCK = 0.4  # of the usual one
_HALVINGS = 30
_PICO = 1e-12
_ENERGY_POWER = 1.5


@dataclass(frozen=True, slots=True)
class Demand:
    """What a kernel asks of a GPU at the clock that it was measured with."""

    tensor_flops: float  # of tensor cores, as so many in 16 bits
    moved_bytes: float  # to and from device memory
    duration_s: float
    own_instructions: bool = True  # those of the generation; older ones take more energy


@dataclass(frozen=True, slots=True)
class LoadParameters:
    """Of a generation of GPUs."""

    idle_w: float
    tensor_pj: float  # a floating-point operation in 16 bits, data as in training, full clock
    older_pj: float  # the same by instructions of the generation before
    byte_pj: float  # a byte to or from device memory
    spread: float  # mean of how much slower a GPU is than the best of its kind, relative
    residual: float  # one sigma of whole steps of sources that the fit did not see


def load_parameters(gpu: Gpu) -> LoadParameters | None:
    """None where nothing is known of the generation."""
    found = load("sustained.json")["generations"].get(f"{gpu.major}.{gpu.minor}")
    return LoadParameters(**found) if found else None


def steady_clock(demand: Demand, limit_w: float, known: LoadParameters) -> float:
    """The share of the usual clock at which the kernel's power fits the board's limit."""
    if draw_w(demand, 1.0, known) <= limit_w:
        return 1.0
    low, high = _LEAST_CLOCK, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        fits = draw_w(demand, middle, known) <= limit_w
        low, high = (middle, high) if fits else (low, middle)
    return low


def draw_w(demand: Demand, clock: float, known: LoadParameters) -> float:
    """Power of a kernel whose pace the clock sets.

    Voltage falls with the clock, though less than it: the energy of an operation goes with the
    clock to the power of 1.5, between that of a fixed voltage and that of one in proportion.
    """
    operation_pj = known.tensor_pj if demand.own_instructions else known.older_pj
    tensor_j = demand.tensor_flops * operation_pj * _PICO * math.pow(clock, _ENERGY_POWER)
    memory_j = demand.moved_bytes * known.byte_pj * _PICO
    return known.idle_w + (tensor_j + memory_j) * clock / demand.duration_s


def slowest(count: int, known: LoadParameters) -> float:
    """How much slower than a typical GPU the slowest of `count` is, on average.

    What GPUs lack against the best of their kind has an exponential tail, so the slowest grows by
    the same step with every doubling of their number.
    """
    return known.spread * (harmonic(count) - 1)


def slowest_at(share: float, count: int, known: LoadParameters) -> float:
    """What the slowest of `count` does not exceed on this share of all machines."""
    return known.spread * (-math.log(1 - share ** (1 / count)) - 1)


def harmonic(count: int) -> float:
    """1 + 1/2 + ... + 1/count: the mean of the largest of so many exponential numbers."""
    return sum(1 / number for number in range(1, count + 1))
