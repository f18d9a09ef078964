"""Kernels without a model of their own: tensors that their arguments describe, or a thread each."""

from maya.estimate.cost import Cost, KernelRows
from maya.estimate.kernels.arguments import INDEX_BACKWARD, WIDE_COUNT
from maya.estimate.kernels.described import described_tensors
from maya.estimate.kernels.image import Image
from maya.estimate.kernels.launch import blocks, blocks_per_sm, occupancy, threads_per_block
from maya.estimate.kernels.signature import Signature, element_sizes
from maya.hardware import Gpu
from maya.trace import Definition

_EACH = 60.0  # instructions of an element: where it lies, where its operands lie
_INDEX_BYTES = 8


def described(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """Every tensor of which the arguments tell the sizes is moved once (`passes`: so often)."""
    image = Image(work.blob)
    tensors = [(t.elements(image), t.element_bytes) for t in described_tensors(name.name)]
    largest = max((elements for elements, _ in tensors), default=0)
    if largest <= 0:
        return None
    moved = sum(elements * size for elements, size in tensors) * max(1, work.family.passes)
    return Cost(float(moved), occupancy=occupancy(work, device), issued=largest * _EACH)


def thread_each(work: Definition, name: Signature, device: Gpu) -> Cost:
    """A thread an element of the result, which touches `passes` values."""
    threads = blocks(work) * threads_per_block(work)
    size = next(iter(element_sizes(", ".join(name.template))), 4)
    moved = float(threads * size * max(1, work.family.passes))
    return Cost(moved, occupancy=occupancy(work, device), issued=threads * _EACH)


def index_backward(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """Gradients added where sorted indices say: behind four addresses stand indices, the elements
    of one, those between rows, and how many times all that repeats."""
    count, stride, _, outer = Image(work.blob).read(INDEX_BACKWARD)
    if min(count, stride, outer) <= 0:
        return None
    size = next(iter(element_sizes(", ".join(name.template))), 4)
    rows = count * outer
    # A gradient is read, a sum read and written.
    moved = float(rows * stride * size * 3 + rows * 2 * _INDEX_BYTES)
    return Cost(moved, occupancy=occupancy(work, device), issued=rows * stride * _EACH)


def norm_of_rows(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """LayerNormForwardCUDAKernel(columns, ...): a block a row, read and written once."""
    columns, threads = Image(work.blob).number(WIDE_COUNT), threads_per_block(work)
    if not 0 < columns < 1 << 31:
        return None
    size = next(iter(element_sizes(", ".join(name.template))), 4)
    resident = blocks_per_sm(work, threads, device)
    walked = KernelRows(blocks(work), columns * size, threads, 0.0, columns / threads, resident)
    return Cost(float(blocks(work) * columns * size * 2), rows=walked)
