"""Multi-tensor kernels: foreach operations and fused optimisers, from the recorder's digest."""

import re
import struct

from maya.estimate.cost import Cost
from maya.estimate.kernels.launch import blocks, occupancy
from maya.estimate.kernels.signature import Signature, element_sizes
from maya.hardware import Gpu
from maya.trace import Definition

DIGEST = 1  # value of the field `layout`
_CHUNK = 65536  # elements a block, in PyTorch's multi_tensor_apply
# TensorListMetadata<2>, TensorListScalarListMetadata<float, 2>, FusedOptimizerTensorListMetadata<4>
_DEPTH = re.compile(r"TensorList\w*Metadata<(?:.*, )?(\d+)>")
_IN_PLACE_READS = re.compile(r"Functor<[^,<>]+, (\d+), (\d+), (\d+)>")


def cost(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """Every tensor of the list is read or written once an element."""
    read = _digest(work)
    elements = read or blocks(work) * _CHUNK
    size = next(iter(element_sizes(name.name.partition("Functor")[2])), 4)
    moved = float(elements * size * passes(work, name))
    filled = min(1.0, occupancy(work, device))
    return Cost(moved, 8.0 * elements, occupancy=filled, guessed=not read)


def _digest(work: Definition) -> int:
    """Elements of all lists (u64 elements, u64 tensors), 0 where there is no digest."""
    if work.number("layout") != DIGEST or len(work.blob) < 16:
        return 0
    elements: int = struct.unpack_from("<Q", work.blob)[0]
    return elements


def passes(work: Definition, name: Signature) -> int:
    """Reads and writes of an element: an optimiser's row tells them, else the functor."""
    if work.family.passes:
        return work.family.passes
    found = _IN_PLACE_READS.search(name.name)
    if found:  # depth, read arguments, index of the result
        return int(found.group(2)) + 1
    depth = _DEPTH.search(name.name)
    return 1 + int(depth.group(1)) if depth else 2
