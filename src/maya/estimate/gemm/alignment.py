"""Products whose rows do not start at multiples of 16 bytes.

Kernels of tensor cores move 16 bytes with one instruction, or whole tiles by the Tensor Memory
Accelerator, which needs rows at such places. Other rows (a vocabulary of 50,257 in 16 bits) take
kernels with narrow loads: asynchronous copies of 4 or 8 bytes, or, of single elements, loads into
registers and stores into shared memory. From Hopper on they cannot use warp groups either. Rates
of wider loads are those of the hardware, as no measurements were found; that of single elements was
read off four products of attention with odd numbers of tokens, in profiles of two models on H100.
"""

from math import gcd

from maya.estimate.cost import smooth_maximum
from maya.estimate.gemm.problem import GemmProblem
from maya.hardware import Gpu
from maya.units import NS_PER_S

_FULL = 16  # bytes a load
_LEAST_COPIED = 4  # bytes that an asynchronous copy moves at least
_TILE = 128
_LANES = 32  # loads or stores that an SM takes in a cycle
# Single elements of two bytes: threads of a warp hold parts of eight rows, so that each instruction
# goes to eight places, twice for neighbours.
_SINGLE_LANES = 2.1
_ASYNCHRONOUS = 8  # compute capability that copies asynchronously
_WARP_GROUPS = (9, 10)  # compute capabilities whose tensor cores need them
_WARP_EFFICIENCY = 0.45  # of the peak without warp groups, as for such kernels of Triton
_UNCERTAINTY = 0.25


def with_narrow_loads(
    duration_ns: float, problem: GemmProblem, device: Gpu, peak: float
) -> tuple[float, float]:
    """The time of a product whose rows are as they are, and what that adds to its uncertainty.

    Copies of a few bytes are issued between the arithmetic; single elements are a work of their
    own, which other blocks overlap with.
    """
    copied, single = narrow_ns(problem, device)
    if not copied + single:
        return duration_ns, 0.0
    groups = device.major in _WARP_GROUPS
    least = problem.flops / (peak * _WARP_EFFICIENCY) * NS_PER_S if groups else 0.0
    computed = max(duration_ns, least) + copied
    return float(smooth_maximum(computed, single)), _UNCERTAINTY


def narrow_ns(problem: GemmProblem, device: Gpu) -> tuple[float, float]:
    """Of copies narrower than they could be, and of single elements; zeros if aligned."""
    widths = [gcd(_FULL, pitch) if pitch else _FULL for pitch in problem.pitches]
    if not problem.on_tensor_cores:
        return 0.0, 0.0
    rows, columns = -(-problem.m // _TILE), -(-problem.n // _TILE)
    moved = (
        problem.n * problem.k * problem.in_bytes * rows,
        problem.m * problem.k * problem.in_bytes * columns,
        problem.m * problem.n * problem.out_bytes,
    )
    cycles = {True: 0.0, False: 0.0}
    for bytes_moved, width in zip(moved, widths, strict=True):
        if width < _FULL:
            copied = width >= _LEAST_COPIED and device.major >= _ASYNCHRONOUS
            cycles[copied] += bytes_moved / width / (_LANES if copied else _SINGLE_LANES)
    scale = problem.batch / device.sm_count / device.clock_mhz * 1e3
    return cycles[True] * scale, cycles[False] * scale
