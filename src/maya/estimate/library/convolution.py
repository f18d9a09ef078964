"""Convolutions as the matrix products that they are."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from maya.estimate.cost import floor_ns, issue_ns, memory_ns
from maya.estimate.depthwise import instructions
from maya.estimate.gemm.estimator import parameters, peak
from maya.estimate.gemm.problem import GemmProblem
from maya.estimate.gemm.roofline import Problems, RooflineParameters, roofline
from maya.estimate.library.conv_memory import conv_stream_ns
from maya.estimate.library.conv_problem import CHANNELS, ConvProblem
from maya.estimate.library.planar import planar_doubt, planar_ns, planar_shares, takes_shares
from maya.estimate.parameters import load
from maya.estimate.types import Estimate, Source
from maya.hardware import Gpu
from maya.units import NS_PER_S

_FITTED_PACE = 1021.0  # operations of V100's tensor cores in a cycle of an SM: DeepBench's GPU
_SPLITS = (1, 2, 4, 8, 16, 32, 64)
# Loads of 16 bytes at full speed; narrower ones part of the way to what single channels cost.
# The exponents were chosen: published convolutions have either eight channels or one to three.
_MISALIGNED = {8: 0.0, 4: 0.25, 2: 0.6, 1: 1.0}
# cuDNN's kernels for groups in NHWC put several narrow groups into a tile of the tensor cores. For
# wide groups, and for few of them, there is none: a direct kernel without tensor cores is taken.
_WIDEST_GROUP = 32
_FEWEST_GROUPS = 8
_HALF = ("fp16", "bf16")
_LARGEST_FILTER = 49  # taps of cuDNN's own depthwise kernels
_BEFORE_AMPERE = ("pascal", "volta", "turing")


@dataclass(frozen=True, slots=True)
class ConvScale:
    """How a convolution's pass differs from a plain matrix product of its sizes."""

    efficiency: float = 0.85  # of a product's share of the peak
    tile: float = 1.0  # filling and draining a tile
    memory: float = 1.0  # of the bandwidth of plain streaming
    launches: float = 1.0  # kernels, in units of an empty one
    narrow: float = 2.0  # channels that only single loads can take
    strided: float = 1.0
    winograd: float = 0.0  # efficiency of transformed products; none on tensor cores


def conv_estimate(problem: ConvProblem, device: Gpu) -> Estimate:
    """Implicit GEMM; depthwise ones are bound by memory; NCHW on tensor cores transposes."""
    if problem.groups > 1 and problem.c // problem.groups <= 4:
        return _depthwise(problem, device)
    if _is_direct(problem):
        return _direct(problem, device)
    if takes_shares(problem, device):
        return _planar(problem, device)
    work = _as_gemm(problem)
    kind = "simt" if problem.precision in ("fp32", "fp64") else "tensor"
    scale = ConvScale(**load("convolution.json")[kind][_fitted_pass(problem, device)])
    times = conv_ns([problem], device, peak(work, device), parameters(work, device), scale)
    duration = float(times[0])
    if kind == "tensor":
        duration += _prepared_ns(problem, device)
    return Estimate(max(1, round(duration)), Source.ANALYTICAL, 0.2, problem.flops, problem.bytes)


def _planar(problem: ConvProblem, device: Gpu) -> Estimate:
    """Which kernel cuDNN's heuristics take is not known: shapes alike differ."""
    duration = float(planar_ns([problem], device, planar_shares(device))[0])
    doubt = planar_doubt(problem, device)
    return Estimate(max(1, round(duration)), Source.ANALYTICAL, doubt, problem.flops, problem.bytes)


def _fitted_pass(problem: ConvProblem, device: Gpu) -> str:
    """The gradient of the input is a convolution forward, with the channels exchanged. Kernels for
    it were slower on tensor cores of the GPU that was measured; since Ampere dense ones are not."""
    simt = problem.precision in ("fp32", "fp64")
    measured = simt or problem.groups > 1 or device.architecture in _BEFORE_AMPERE
    return problem.direction if measured or problem.direction != "dgrad" else "fprop"


def _prepared_ns(problem: ConvProblem, device: Gpu) -> float:
    """Tensor cores want channels last, in eights: other tensors are copied there and back."""
    if not problem.channels_last:
        if _is_product_of_planes(problem):
            return 0.0
        return 2 * floor_ns(device) + memory_ns(2 * problem.bytes, device)
    if device.architecture in _BEFORE_AMPERE:
        return 0.0
    tensors = ((problem.c, problem.in_volume), (problem.k, problem.out_volume))
    padded = (pair for pair in tensors if pair[0] > CHANNELS and pair[0] % CHANNELS)
    odd = (channels * volume for channels, volume in padded)
    sizes = (2 * problem.n * values * problem.element_bytes for values in odd)
    return sum(floor_ns(device) + memory_ns(size, device) for size in sizes)


def _is_product_of_planes(problem: ConvProblem) -> bool:
    """A filter of one point in TF32: measured forward, at the pace of memory."""
    return (
        problem.precision == "tf32" and problem.filter_volume == 1 and problem.direction != "wgrad"
    )


def conv_ns(
    problems: Sequence[ConvProblem],
    device: Gpu,
    rate: float,
    product: RooflineParameters,
    scale: ConvScale,
) -> npt.NDArray[np.float64]:
    """Times of convolutions of one pass and one type: calibration fits what estimation uses.

    Arithmetic is that of the implicit product, in the tiles and waves of a real one. Memory is the
    convolution's own: the windows of an input overlap, and are gathered from L2.
    """
    sizes = np.array([problem.sizes for problem in problems], dtype=np.float64)
    batch = np.array([float(problem.groups) for problem in problems])
    width = problems[0].element_bytes
    columns = Problems(sizes[:, 0], sizes[:, 1], sizes[:, 2], batch, width, width)
    own = replace(
        product,
        efficiency=product.efficiency * scale.efficiency,
        tile_ns=product.tile_ns * scale.tile,
    )
    # Only sums over a whole batch are split: other passes have an output tile a block.
    splits = _SPLITS if problems[0].direction == "wgrad" else (1,)
    times = roofline(columns, device, rate, own, splits)
    pace = rate / (device.sm_count * device.clock_mhz * 1e6) / _FITTED_PACE
    padded = device.architecture not in _BEFORE_AMPERE
    slowdown = np.array([_slowdown(problem, scale, pace, padded) for problem in problems])
    moved = np.array([problem.bytes for problem in problems])
    if problems[0].direction == "wgrad":  # parts of a split sum are kept in fp32
        partial = np.array([p.k * (p.c // p.groups) * p.filter_volume * 8.0 for p in problems])
        moved = moved + partial * (times.split > 1)
    memory = conv_stream_ns(moved, device) / scale.memory
    busy = ((times.compute_ns * slowdown) ** 4 + memory**4) ** 0.25
    if scale.winograd:
        busy = np.minimum(busy, _winograd(problems, device, rate, own, scale))
    return np.asarray(floor_ns(device) * scale.launches + busy)


def _winograd(
    problems: Sequence[ConvProblem],
    device: Gpu,
    rate: float,
    product: RooflineParameters,
    scale: ConvScale,
) -> npt.NDArray[np.float64]:
    """3 x 3 filters in fp32: results four by four need 36 products instead of 144.

    Input, filter and output are transformed by kernels of their own, 36 numbers for each 16.
    """
    fits = np.array([p.filter_volume == 9 and p.stride_volume == 1 for p in problems])
    tiles = np.array([p.n * np.ceil(p.out_volume**0.5 / 4) ** 2 for p in problems])
    inside = np.array([float(p.c // p.groups) for p in problems])
    outside = np.array([float(p.k // p.groups) for p in problems])
    if problems[0].direction == "dgrad":
        inside, outside = outside, inside
    sizes = (
        (outside, inside, tiles) if problems[0].direction == "wgrad" else (tiles, outside, inside)
    )
    batch = np.full(len(problems), 36.0)
    times = roofline(Problems(*sizes, batch, 4.0, 4.0), device, rate, product)
    numbers = 36 * (tiles * (inside + outside) + inside * outside)
    moved = np.array([problem.bytes for problem in problems]) + 2 * 4.0 * numbers
    memory = conv_stream_ns(moved, device)
    total = times.compute_ns / scale.winograd + memory + 3 * floor_ns(device)
    return np.where(fits, total, np.inf)


def _slowdown(problem: ConvProblem, scale: ConvScale, pace: float, padded: bool) -> float:
    """Narrow loads and gaps between them cost cycles of an SM: against slow tensor cores less.

    Where tensors are padded, groups and images of three channels stay narrow."""
    if problem.precision in ("fp32", "fp64"):
        return 1.0
    narrow = problem.groups > 1 or not padded or min(problem.c, problem.k) < CHANNELS
    factor: float = scale.narrow ** _MISALIGNED[_alignment(problem)] if narrow else 1.0
    if problem.stride_volume > 1 and problem.filter_volume > 1:
        factor *= scale.strided
    return 1 + (factor - 1) * pace


def _alignment(problem: ConvProblem) -> int:
    """Channels that every load can take at once: a power of two up to what tensor cores want."""
    both = (problem.c // problem.groups) | (problem.k // problem.groups) | CHANNELS
    return both & -both


def _as_gemm(problem: ConvProblem) -> GemmProblem:
    m, n, k = problem.sizes
    width = problem.element_bytes
    return GemmProblem(m, n, k, problem.groups, problem.precision, width, width)


def _is_direct(problem: ConvProblem) -> bool:
    if problem.groups == 1 or not problem.channels_last or problem.precision not in _HALF:
        return False
    return problem.c // problem.groups > _WIDEST_GROUP or problem.groups < _FEWEST_GROUPS


def _direct(problem: ConvProblem, device: Gpu) -> Estimate:
    """Grouped kernels that issue an instruction or two for each product, and addresses and bounds
    for each tap of the filter on each output."""
    counts = load("convolution.json")["direct"]
    products = problem.flops / 2
    taps = products / (problem.c // problem.groups)
    busy = issue_ns(products * counts["product"] + taps * counts["tap"], device)
    duration = floor_ns(device) + max(busy, memory_ns(problem.bytes, device))
    return Estimate(max(1, round(duration)), Source.ANALYTICAL, 0.5, problem.flops, problem.bytes)


def _has_own_kernel(problem: ConvProblem) -> bool:
    """cuDNN's kernels for channels last take filters up to 7 x 7 and channels in eights."""
    if not problem.channels_last or problem.precision not in _HALF:
        return True
    return problem.c % CHANNELS == 0 and problem.filter_volume <= _LARGEST_FILTER


def _general_ns(problem: ConvProblem, device: Gpu) -> float:
    """A kernel for any shape works out an index for each element and tap, as PyTorch's own do."""
    inside = problem.n * problem.c * problem.in_volume
    outside = problem.n * problem.k * problem.out_volume
    tensors = (outside, inside) if problem.direction == "dgrad" else (inside, outside)
    return issue_ns(instructions(problem.direction, *tensors, problem.filter_volume), device)


def _depthwise(problem: ConvProblem, device: Gpu) -> Estimate:
    share = load("convolution.json")["depthwise"][problem.direction]
    own = _has_own_kernel(problem)
    issued = problem.flops / 2 * share["product"]
    busy = issue_ns(issued, device) if own else _general_ns(problem, device)
    bandwidth_ns = memory_ns(problem.bytes, device) / share["memory"]
    # Without tensor cores: fp64 has few units on most boards.
    plain = device.flops_per_s["fp64" if problem.precision.startswith("fp64") else "fp32"]
    arithmetic_ns = problem.flops / plain * NS_PER_S
    duration = floor_ns(device) + max(busy, bandwidth_ns, arithmetic_ns)
    uncertainty = 0.4 if own else 0.5
    return Estimate(
        max(1, round(duration)), Source.ANALYTICAL, uncertainty, problem.flops, problem.bytes
    )
