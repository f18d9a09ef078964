"""PyTorch's own pooling kernels."""

from maya.estimate.cost import Cost
from maya.estimate.kernels.image import Image
from maya.estimate.kernels.launch import blocks, threads_per_block
from maya.estimate.kernels.signature import Signature, element_sizes
from maya.hardware import Gpu
from maya.trace import Definition

_INDEX_BYTES = 8


def maximum(work: Definition, name: Signature, _device: Gpu) -> Cost | None:
    """Value and index of each result."""
    return _cost(_threads(work), name, _INDEX_BYTES)


def maximum_of_count(work: Definition, name: Signature, _device: Gpu) -> Cost | None:
    """As above; how many results there are comes first."""
    results, threads = Image(work.blob).i32(0), _threads(work)
    return _cost(results if 0 < results <= threads * 8 else threads, name, _INDEX_BYTES)


def average(work: Definition, name: Signature, _device: Gpu) -> Cost | None:
    """Values only."""
    return _cost(_threads(work), name, 0)


def _threads(work: Definition) -> int:
    return blocks(work) * threads_per_block(work)


def _cost(results: int, name: Signature, index_bytes: int) -> Cost:
    """A thread an element of the result; windows overlap in cache."""
    size = next(iter(element_sizes(", ".join(name.template))), 4)
    # Forward of stride 2 reads 4 values a result and writes value and index; backward likewise.
    return Cost(float(results * (4 * size + size + index_bytes)))
