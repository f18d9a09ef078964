"""Products whose rows do not start at multiples of 16 bytes.

Kernels of tensor cores move 16 bytes with one instruction, or whole tiles by the Tensor Memory
Accelerator, which needs rows at such places. Other rows (a vocabulary of 50,257 in 16 bits) take
kernels with narrow loads: asynchronous copies of 4 or 8 bytes, or, of single elements, loads into
registers and stores into shared memory. From Hopper on they cannot use warp groups either. No
measurements were found: rates are those of the hardware.
"""

from math import gcd

from maya.estimate.gemm.problem import GemmProblem
from maya.hardware import Gpu
from maya.units import NS_PER_S

_FULL = 16  # bytes a load
_LEAST_COPIED = 4  # bytes that an asynchronous copy moves at least
_TILE = 128
_LANES = 32  # loads or stores that an SM takes in a cycle
_ASYNCHRONOUS = 8  # compute capability that copies asynchronously
_WARP_GROUPS = (9, 10)  # compute capabilities whose tensor cores need them
_WARP_EFFICIENCY = 0.45  # of the peak without warp groups, as for such kernels of Triton
_UNCERTAINTY = 0.25


def with_narrow_loads(
    duration_ns: float, problem: GemmProblem, device: Gpu, peak: float
) -> tuple[float, float]:
    """The time of a product whose rows are as they are, and what that adds to its uncertainty."""
    least, added = narrow_ns(problem, device, peak)
    if not added:
        return duration_ns, 0.0
    return max(duration_ns, least) + added, _UNCERTAINTY


def narrow_ns(problem: GemmProblem, device: Gpu, peak: float) -> tuple[float, float]:
    """The least time of the arithmetic, and what narrow loads and stores add; zeros if aligned."""
    widths = [gcd(_FULL, pitch) if pitch else _FULL for pitch in problem.pitches]
    if not problem.on_tensor_cores or min(widths) == _FULL:
        return 0.0, 0.0
    rows, columns = -(-problem.m // _TILE), -(-problem.n // _TILE)
    moved = (
        problem.n * problem.k * problem.in_bytes * rows,
        problem.m * problem.k * problem.in_bytes * columns,
        problem.m * problem.n * problem.out_bytes,
    )
    staged = tuple(_staged(width, device) for width in widths[:2])
    instructions = sum(
        bytes_moved / width * times
        for bytes_moved, width, times in zip(moved, widths, (*staged, 1), strict=True)
        if width < _FULL
    )
    cycles = problem.batch * instructions / (_LANES * device.sm_count)
    groups = device.major in _WARP_GROUPS
    least = problem.flops / (peak * _WARP_EFFICIENCY) * NS_PER_S if groups else 0.0
    return least, cycles / device.clock_mhz * 1e3


def _staged(width: int, device: Gpu) -> int:
    """Instructions for each load: one, or two where it goes through registers."""
    copied = width >= _LEAST_COPIED and device.major >= _ASYNCHRONOUS
    return 1 if copied else 2
