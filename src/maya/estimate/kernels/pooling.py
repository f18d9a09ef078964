"""PyTorch's own pooling kernels."""

from maya.estimate.cost import Cost
from maya.estimate.kernels.image import Image
from maya.estimate.kernels.launch import blocks, threads_per_block
from maya.estimate.kernels.signature import Signature, element_sizes
from maya.hardware import Gpu
from maya.trace import Definition

_INDEX_BYTES = 8


def cost(work: Definition, name: Signature, _device: Gpu) -> Cost | None:
    """A thread an element of the result; windows overlap in cache."""
    size = next(iter(element_sizes(", ".join(name.template))), 4)
    image = Image(work.blob)
    threads = blocks(work) * threads_per_block(work)
    results = image.i32(0) if name.base == "max_pool_forward_nchw" else threads
    if not 0 < results <= threads * 8:
        results = threads
    # Forward of stride 2 reads 4 values a result and writes value and index; backward likewise.
    index = _INDEX_BYTES if name.base.startswith("max_pool") else 0
    return Cost(float(results * (4 * size + size + index)))
