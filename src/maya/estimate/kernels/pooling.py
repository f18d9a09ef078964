"""PyTorch's own pooling kernels: a thread a result, a window of values for each."""

from dataclasses import dataclass
from math import prod

from maya.estimate.cost import Cost
from maya.estimate.kernels.arguments import (
    AVERAGE_POOL_WINDOW,
    AVERAGE_POOLED,
    COUNT,
    MAX_POOL_WINDOW,
    MAX_POOLED,
    POOLED_PLANE,
    POOLED_VOLUME,
    VOLUME_WINDOW,
    VOLUMES_RESULT,
)
from maya.estimate.kernels.image import Image
from maya.estimate.kernels.launch import blocks, threads_per_block
from maya.estimate.kernels.signature import Signature, element_sizes
from maya.hardware import Gpu
from maya.trace import Definition

_INDEX_BYTES = 8
_MOST_ELEMENTS = 1 << 40
_MOST_TAPS = 1 << 16
# Instructions of a thread: divisions that tell where its result lies, and for each value of the
# window bounds, an address in 64 bits, a load and a comparison or a sum.
_A_RESULT = 92.0
_A_TAP = 12.1


@dataclass(frozen=True, slots=True)
class PoolingShape:
    """What a pooling kernel reads and writes."""

    values: int  # of the larger tensor: before pooling
    results: int  # after it
    taps: int  # values in a window

    @property
    def makes_sense(self) -> bool:
        """Whether the sizes may be sizes."""
        sane = 0 < self.values < _MOST_ELEMENTS and 0 < self.results < _MOST_ELEMENTS
        return sane and 0 < self.taps <= _MOST_TAPS


def maximum_of_planes(work: Definition, name: Signature, _device: Gpu) -> Cost | None:
    """max_pool_forward_nchw(results, in, channels, h, w, h', w', window, ..., out, places)."""
    image = Image(work.blob)
    plane, pooled = prod(image.read(POOLED_PLANE)), prod(image.read(MAX_POOLED))
    window = _window(image.number(COUNT), plane, pooled, prod(image.read(MAX_POOL_WINDOW)))
    return _cost(window, name, _INDEX_BYTES)


def average_of_planes(work: Definition, name: Signature, _device: Gpu) -> Cost | None:
    """avg_pool2d_out_cuda_frame(results, in, channels, h, w, h', w', window, ...)."""
    image = Image(work.blob)
    plane, pooled = prod(image.read(POOLED_PLANE)), prod(map(image.number, AVERAGE_POOLED))
    window = _window(image.number(COUNT), plane, pooled, prod(image.read(AVERAGE_POOL_WINDOW)))
    return _cost(window, name, 0)


def maximum_of_volumes(work: Definition, name: Signature, _device: Gpu) -> Cost | None:
    """max_pool3d_with_indices_single_out_frame: three addresses, then sizes and the window."""
    image = Image(work.blob)
    channels, *volume = image.read(POOLED_VOLUME)
    batch, *pooled = image.read(VOLUMES_RESULT)
    planes = channels * batch
    window = PoolingShape(
        planes * prod(volume), planes * prod(pooled), prod(image.read(VOLUME_WINDOW))
    )
    return _cost(window, name, _INDEX_BYTES) if window.makes_sense else None


def any_pooling(work: Definition, name: Signature, _device: Gpu) -> Cost:
    """Others, a thread an element; windows of four that overlap in cache."""
    threads = blocks(work) * threads_per_block(work)
    places = 0 if work.family.has("without_places") else _INDEX_BYTES
    size = _size(name)
    return Cost(float(threads * (5 * size + places)), issued=threads * (_A_RESULT + 4 * _A_TAP))


def _window(results: int, plane: int, pooled: int, taps: int) -> PoolingShape | None:
    if pooled <= 0:
        return None
    window = PoolingShape(results // pooled * plane, results, taps)
    return window if window.makes_sense else None


def _cost(window: PoolingShape | None, name: Signature, index_bytes: int) -> Cost | None:
    """Values come from memory once: windows that overlap find them in cache."""
    if window is None:
        return None
    size = _size(name)
    moved = window.values * size + window.results * (size + index_bytes)
    issued = window.results * (_A_RESULT + window.taps * _A_TAP)
    return Cost(float(moved), issued=issued)


def _size(name: Signature) -> int:
    return next(iter(element_sizes(", ".join(name.template))), 4)
