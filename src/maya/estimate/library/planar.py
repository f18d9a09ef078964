"""Convolutions in TF32, as PyTorch runs fp32 networks since Ampere: planar tensors (NCHW) mostly.

cuDNN has kernels that gather planar tensors as they lie: nothing is transposed. Dense problems run
on tensor cores, the slower the fewer channels a tap of the filter sums. Few channels, and gradients
of inputs in three dimensions or by filters of even sides, fall to kernels far below. In two
dimensions none skips the holes that a stride leaves in the gradient of an input (a transposed
convolution's forward). Of channels last, which torch.compile lays tensors out as, gathering costs
less and holes are skipped; their rate is fitted apart. Shares are fitted to KernelBench.

On Ada the gradient of an input in three dimensions takes as long with 105 taps as with 27: it is
computed in frequencies. Transforms move the tensors, a position's channels are multiplied pairwise.

Turing, without tensor cores for fp32, has one kernel for all gradients in two dimensions: it skips
the holes, and computes no results that are not needed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from maya.estimate.cost import floor_ns, smooth_maximum
from maya.estimate.library.conv_memory import conv_stream_ns
from maya.estimate.library.conv_problem import CHANNELS, ConvProblem
from maya.estimate.parameters import fitted_as, load
from maya.hardware import Gpu
from maya.units import NS_PER_S

Array = npt.NDArray[np.float64]
_TILE = 64
_FEW_TILE = 32  # of few channels
_WITHOUT_CORES = {"few_volume": _FEW_TILE, "few_gradient": _FEW_TILE, "even": 16}
_SUM_PAD = 16  # of the same: channels and taps are summed as one
VOLUME = 3  # dimensions
WITHOUT_TF32 = ("turing",)  # that were measured all the same, in fp32
_IN_FREQUENCIES = ("ada",)
_COMPLEX = 4  # products of a complex one


@dataclass(frozen=True, slots=True)
class PlanarShares:
    """Of one architecture: rates, and what few channels cost."""

    plane: float  # of the tensor cores' peak
    volume: float  # of the same, gradients of inputs in three dimensions
    volume_strided: float  # of the same, where a stride leaves holes, which are skipped
    even: float  # of the same, gradients of inputs by filters of even sides
    last: float  # of the same, channels last
    few: float  # of the fp32 peak, fewer channels than tensor cores take
    few_volume: float  # of the same, in three dimensions
    few_gradient: float  # of the same, gradients of inputs
    frequency: float  # of the same, complex products of channels
    grouped: float  # of the fp32 peak: gradients of strided groups
    channels: float  # summed by a tap at which a kernel runs at half its rate
    memory: float  # of the bandwidth of plain streaming
    few_memory: float  # as `memory`, few channels
    frequency_memory: float  # as `memory`, transforms
    last_channels: float  # as `channels`, channels last
    last_memory: float  # as `memory`, channels last


@dataclass(frozen=True, slots=True)
class ConvolutionDemand:
    """What a convolution asks of a device, before any share of its rates is taken."""

    share: str  # of the arithmetic's rate: which kernel cuDNN takes
    compute_ns: float
    channel_ns: float  # of it, a channel that a tap sums
    memory_ns: float

    def time_ns(self, shares: PlanarShares) -> float:
        """Gathering and arithmetic do not overlap on tensor cores: their times add up."""
        share = getattr(shares, self.share)
        if self.share in _FEW:
            moving_ns = self.memory_ns / shares.few_memory
            return float(smooth_maximum(self.compute_ns / share, moving_ns))
        channels = shares.last_channels if self.share == "last" else shares.channels
        moving = getattr(shares, _MEMORY.get(self.share, "memory"))
        computing = (self.compute_ns + self.channel_ns * channels) / share
        return float(computing + self.memory_ns / moving)


_FEW = ("few", "few_volume", "few_gradient")
_IN_FP32 = (*_FEW, "frequency", "grouped")
_MEMORY = {"last": "last_memory", "frequency": "frequency_memory"}
_IN_CHANNELS = ("plane", "last")  # what few channels slow down
_SKIPS_HOLES = ("volume_strided", "even", "last")


def planar_shares(device: Gpu) -> PlanarShares:
    """Fitted for the architecture, else for all together."""
    table = load("convolution.json")["planar"]
    return PlanarShares(**(table["all"] | table.get(fitted_as(device), {})))


def takes_shares(problem: ConvProblem, device: Gpu) -> bool:
    """Whether the kernels of this architecture were measured, or are of their kind."""
    measured = _on_cores(device) or device.architecture in WITHOUT_TF32
    return (measured and is_planar(problem)) or (_on_cores(device) and is_last(problem))


def planar_doubt(problem: ConvProblem, device: Gpu) -> float:
    """The uncertainty: what rows of its kind that were left out of the fit are off by."""
    doubts: dict[str, float] = load("convolution.json")["planar_doubt"]
    return doubts[_share(problem, device)]


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
    """With the floor of a kernel."""
    times = [demand(problem, device).time_ns(shares) for problem in problems]
    return np.asarray(floor_ns(device) + np.array(times))


def demand(problem: ConvProblem, device: Gpu) -> ConvolutionDemand:
    """Arithmetic in whole tiles of results and memory, each at its full rate."""
    share = _share(problem, device)
    products, a_channel = _products(problem, share, _tile(share, device))
    rates = device.flops_per_s
    rate = rates["fp32"] if share in _IN_FP32 else rates.get("tf32", rates["fp32"])
    memory_ns = float(conv_stream_ns(problem.bytes, device))
    each = 2.0 * NS_PER_S / rate
    channel_ns = a_channel * each if share in _IN_CHANNELS else 0.0
    return ConvolutionDemand(share, products * each, channel_ns, memory_ns)


def _share(problem: ConvProblem, device: Gpu) -> str:
    """The kernel that cuDNN's heuristics take for the likes of it."""
    gradient, volume = problem.direction == "dgrad", problem.spatial >= VOLUME
    if is_last(problem):
        return "last"
    if problem.groups > 1:
        return "grouped"
    dense = gradient and volume and problem.stride_volume == 1
    if dense and fitted_as(device) in _IN_FREQUENCIES:
        return "frequency"
    if _sizes(problem)[2] < CHANNELS:
        return _few(gradient, volume, device)
    if gradient and volume:
        return "volume_strided" if problem.stride_volume > 1 else "volume"
    beside = problem.filter_volume % 2 == 0 or not _on_cores(device)
    return "even" if gradient and beside else "plane"


def _few(gradient: bool, volume: bool, device: Gpu) -> str:
    """Without tensor cores forward and backward are alike in three dimensions."""
    if gradient and (not volume or _on_cores(device)):
        return "few_gradient"
    return "few_volume" if volume else "few"


def _tile(share: str, device: Gpu) -> int:
    """Results of neighbouring channels that a block computes, needed or not."""
    if _on_cores(device):
        return _FEW_TILE if share in _FEW else _TILE
    return _WITHOUT_CORES.get(share, _TILE)


def _padded(number: int, step: int) -> int:
    return -(-number // step) * step


def _on_cores(device: Gpu) -> bool:
    return "tf32" in device.flops_per_s


def _products(problem: ConvProblem, share: str, tile: int) -> tuple[float, float]:
    """All that are computed, needed or not; and those of a summed channel."""
    rows, outs, summed = _sizes(problem)
    taps = problem.filter_volume
    if share == "grouped":
        each = float(prod((rows, outs, taps, problem.groups)))
        return each * summed, each
    if share == "frequency":
        return float(_COMPLEX * rows * outs * summed), 0.0
    if share in _FEW:
        products = float(rows * _padded(outs, tile) * _padded(summed * taps, _SUM_PAD))
        return products, products / summed
    each = float(rows * _padded(outs, tile) * taps)
    if share in _SKIPS_HOLES and problem.direction == "dgrad":
        each /= problem.stride_volume
    return each * summed, each


def _sizes(problem: ConvProblem) -> tuple[int, int, int]:
    """Results of a channel, channels of results, and channels that are summed, of a group."""
    channels, outs = problem.c // problem.groups, problem.k // problem.groups
    if problem.direction == "dgrad":
        return problem.n * problem.in_volume, channels, outs
    return problem.n * problem.out_volume, outs, channels
