"""Convolutions in TF32, as PyTorch runs fp32 networks since Ampere: planar tensors (NCHW) mostly.

cuDNN has kernels that gather planar tensors as they lie: nothing is transposed. Dense problems run
on tensor cores, the slower the fewer channels a tap of the filter sums. Few channels, and gradients
of inputs in three dimensions or by filters of even sides, fall to kernels far below. In two
dimensions none skips the holes that a stride leaves in the gradient of an input (a transposed
convolution's forward). Of channels last, which torch.compile lays tensors out as, gathering costs
less and holes are skipped; their rate is fitted apart. Shares are fitted to KernelBench.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from maya.estimate.cost import floor_ns, stream_ns
from maya.estimate.library.conv_problem import CHANNELS, ConvProblem
from maya.estimate.parameters import device_parameters, fitted_as, load
from maya.hardware import Gpu
from maya.units import NS_PER_S

Array = npt.NDArray[np.float64]
_TILE = 64  # results of neighbouring channels that a block computes, needed or not
_NARROW_TILE = 32  # of the kernels without tensor cores
_CHANNEL_PAD = 4
VOLUME = 3  # dimensions
_WITHOUT_TF32 = ("turing",)  # that were measured all the same, in fp32


@dataclass(frozen=True, slots=True)
class PlanarShares:
    """Of one architecture: rates, and what few channels cost."""

    plane: float  # of the tensor cores' peak
    volume: float  # of the same, gradients of inputs in three dimensions
    few: float  # of the fp32 peak, fewer channels than tensor cores take
    few_volume: float  # of the same, in three dimensions
    last: float  # of the tensor cores' peak, channels last
    few_gradient: float  # of the same, gradients of inputs
    even: float  # of the tensor cores' peak: gradients of inputs, filters of even sides
    grouped: float  # of the fp32 peak: gradients of strided groups
    channels: float  # summed by a tap at which a kernel runs at half its rate
    memory: float  # of the bandwidth of plain streaming
    last_channels: float  # as `channels`, channels last
    last_memory: float  # as `memory`, channels last


def planar_shares(device: Gpu) -> PlanarShares:
    """Fitted for the architecture, else for all together."""
    table = load("convolution.json")["planar"]
    return PlanarShares(**(table["all"] | table.get(fitted_as(device), {})))


def takes_shares(problem: ConvProblem, device: Gpu) -> bool:
    """Whether the kernels of this architecture were measured, or are of their kind."""
    on_cores = "tf32" in device.flops_per_s
    measured = on_cores or device.architecture in _WITHOUT_TF32
    return (measured and is_planar(problem)) or (on_cores and is_last(problem))


def is_last(problem: ConvProblem) -> bool:
    """The same passes of dense planes in TF32 whose channels lie together."""
    known = problem.precision == "tf32" and problem.channels_last and problem.spatial < VOLUME
    dense = problem.groups == 1 and problem.filter_volume > 1
    return known and dense and problem.direction != "wgrad"


def is_planar(problem: ConvProblem) -> bool:
    """Forward or gradient of the input, in TF32 and NCHW, that is more than a plain product."""
    known = problem.precision == "tf32" and not problem.channels_last
    moving = problem.direction != "wgrad" and problem.filter_volume > 1
    return known and moving and (problem.groups == 1 or _is_strided_gradient(problem))


def _is_strided_gradient(problem: ConvProblem) -> bool:
    return problem.direction == "dgrad" and problem.stride_volume > 1


def planar_ns(problems: Sequence[ConvProblem], device: Gpu, shares: PlanarShares) -> Array:
    """Gathering and arithmetic of these kernels do not overlap: their times add up."""
    compute = np.array([
        (_last_ns if is_last(problem) else _compute_ns)(problem, device, shares)
        for problem in problems
    ])  # fmt: skip
    moved = np.array([problem.bytes for problem in problems])
    reached = np.array([shares.last_memory if is_last(p) else shares.memory for p in problems])
    memory = stream_ns(moved, device, device_parameters(device)) / reached
    return np.asarray(floor_ns(device) + compute + memory)


def _compute_ns(problem: ConvProblem, device: Gpu, shares: PlanarShares) -> float:
    rows, outs, summed = _sizes(problem)
    rates, volume = device.flops_per_s, problem.spatial >= VOLUME
    taps = problem.filter_volume
    if problem.groups > 1:
        products = prod((rows, outs, summed, taps, problem.groups))
        return 2.0 * products / (rates["fp32"] * shares.grouped) * NS_PER_S
    tile = _NARROW_TILE if summed < CHANNELS else _TILE
    tiles = 2.0 * rows * -(-outs // tile) * tile * taps
    if summed < CHANNELS:
        padded = -(-summed // _CHANNEL_PAD) * _CHANNEL_PAD
        share = shares.few_volume if volume else shares.few
        if problem.direction == "dgrad":
            share = shares.few_gradient
        return tiles * padded / (rates["fp32"] * share) * NS_PER_S
    if "tf32" not in rates:  # before Ampere: the same sums in fp32
        share = shares.volume if problem.direction == "dgrad" else shares.plane
        return _skipping(problem, tiles * summed) / (rates["fp32"] * share) * NS_PER_S
    if problem.direction == "dgrad" and volume:
        share = rates["tf32"] * shares.volume
        return _skipping(problem, tiles * summed) / share * NS_PER_S
    if problem.direction == "dgrad" and taps % 2 == 0:
        return _skipping(problem, tiles * summed) / (rates["tf32"] * shares.even) * NS_PER_S
    return tiles * (summed + shares.channels) / (rates["tf32"] * shares.plane) * NS_PER_S


def _last_ns(problem: ConvProblem, device: Gpu, shares: PlanarShares) -> float:
    """Channels last."""
    rows, outs, summed = _sizes(problem)
    tiles = 2.0 * rows * -(-outs // _TILE) * _TILE * problem.filter_volume
    products = _skipping(problem, tiles * (summed + shares.last_channels))
    return products / (device.flops_per_s["tf32"] * shares.last) * NS_PER_S


def _skipping(problem: ConvProblem, products: float) -> float:
    """Without the holes that strides leave."""
    return products / problem.stride_volume if problem.direction == "dgrad" else products


def _sizes(problem: ConvProblem) -> tuple[int, int, int]:
    """Results of a channel, channels of results, and channels that are summed, of a group."""
    channels, outs = problem.c // problem.groups, problem.k // problem.groups
    if problem.direction == "dgrad":
        return problem.n * problem.in_volume, channels, outs
    return problem.n * problem.out_volume, outs, channels
