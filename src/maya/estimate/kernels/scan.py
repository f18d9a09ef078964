"""PyTorch's own scans: cumsum, cumprod, cummax and their kin."""

from math import ceil, log2

from maya.estimate.cost import Cost, KernelRows
from maya.estimate.kernels.image import Image
from maya.estimate.kernels.launch import blocks, blocks_per_sm, threads_per_block
from maya.estimate.kernels.signature import Signature, element_sizes
from maya.hardware import Gpu
from maya.trace import Definition

_INDEX_BYTES = 8
# A pair of elements goes up and down a tree in shared memory, a barrier at each level; counted in
# the public source.
_A_LEVEL = 8.0  # instructions
_A_PAIR = 40.0
_BARRIER = 0.08  # of a trip to memory
_AHEAD = 4  # loads that a loop without a tree has under way


def along_rows(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """tensor_kernel_scan_innermost_dim*: rows and their length behind the tensors."""
    image = Image(work.blob)
    rows, length = image.words(image.after_pointers(), 2)
    if rows * length <= 0:
        return None
    width, height = work.number("block_x", 1), work.number("block_y", 1)
    levels = 2 * log2(2 * width)
    issued = rows * length / 2 * (_A_PAIR + levels * _A_LEVEL)
    turns = ceil(rows / (blocks(work) * height)) * ceil(length / (2 * width))
    walked = _walked(work, device, turns * (1 + levels * _BARRIER))
    return Cost(_moved(work, name, rows * length), kind="scan", issued=issued, rows=walked)


def across_rows(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """tensor_kernel_scan_outer_dim*: outer and inner sizes and the length, a thread a column."""
    image = Image(work.blob)
    outer, inner, length = image.words(image.after_pointers(), 3)
    elements = outer * inner * length
    if elements <= 0:
        return None
    walked = _walked(work, device, length / _AHEAD)
    return Cost(_moved(work, name, elements), rows=walked)


def _walked(work: Definition, device: Gpu, trips: float) -> KernelRows:
    """Blocks that wait for one trip after the other, and read nothing twice."""
    threads = threads_per_block(work)
    return KernelRows(blocks(work), 0.0, threads, 0.0, trips, blocks_per_sm(work, threads, device))


def _moved(work: Definition, name: Signature, elements: int) -> float:
    """Read and written, with a place for each where the family has indices."""
    size = next(iter(element_sizes(", ".join(name.template))), 4)
    places = _INDEX_BYTES if work.family.has("with_places") else 0
    return float(elements * (2 * size + places))
