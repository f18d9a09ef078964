"""Kernels whose tensors are passed as accessors, with their sizes."""

from maya.estimate.cost import Cost
from maya.estimate.depthwise import instructions
from maya.estimate.kernels.image import MARKER_WORDS, Image
from maya.estimate.kernels.launch import blocks, occupancy
from maya.estimate.kernels.signature import Signature, element_sizes
from maya.hardware import Gpu
from maya.trace import Definition

_TENSOR_INFO_BYTES = 216  # pointer, 25 sizes, 25 strides, dimensions
_DIRECTIONS = frozenset({"fprop", "dgrad", "wgrad"})
_FILTER_AT = 96  # the last two sizes of the third accessor
_MOST_TAPS = 1 << 12


def batch_norm(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """PackedTensorAccessor of three dimensions: pointer, sizes, strides."""
    passes = work.family.passes
    elements = _product(Image(work.blob), 8, 3)
    if elements <= 0:
        return None
    return Cost(float(elements * _size(name) * passes), occupancy=occupancy(work, device))


def depthwise(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """Accessors of four dimensions: what is read, what is written (the weights' gradient: both
    read), and the filter. Index arithmetic outweighs the traffic."""
    image = Image(work.blob)
    first, second = _product(image, 8, 4), _product(image, 48, 4)
    height, width = image.words(_FILTER_AT, 2)
    taps = height * width
    if min(first, second) <= 0 or not 0 < taps <= _MOST_TAPS:
        return None
    direction = next(iter(work.family.traits & _DIRECTIONS))
    issued = instructions(direction, first, second, taps)
    moved = float((first + second) * _size(name))
    return Cost(moved, occupancy=occupancy(work, device), issued=issued)


def dropout(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """Three TensorInfo (input, output, mask), then the element count."""
    elements = Image(work.blob).u32(3 * _TENSOR_INFO_BYTES)
    if not 0 < elements < 1 << 31:
        return None
    moved = float(elements * (2 * _size(name) + 1))
    return Cost(moved, 20.0 * elements, occupancy=occupancy(work, device))


def embedding_bag(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """Behind five pointers: indices, bags, features."""
    image = Image(work.blob)
    indices, bags, features = (image.i64(40 + 8 * place) for place in range(3))
    if min(indices, bags, features) <= 0:
        return None
    moved = float((indices + bags) * features * _size(name) + indices * 16)
    return Cost(moved, occupancy=occupancy(work, device))


def moments(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """A group of group normalisation a block; its size comes first."""
    columns = Image(work.blob).i64(0)
    if not 0 < columns < 1 << 31:
        return None
    moved = float(blocks(work) * columns * _size(name))
    return Cost(moved, occupancy=occupancy(work, device))


def internal_gradients(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """Sums of group normalisation's backward: a block a plane, whose size comes first."""
    plane = Image(work.blob).i64(0)
    if not 0 < plane < 1 << 31:
        return None
    moved = float(blocks(work) * (plane * 2 * _size(name) + 8))  # gradient and input
    return Cost(moved, occupancy=occupancy(work, device))


def _product(image: Image, at: int, count: int) -> int:
    """Elements of an accessor: sizes, then strides.

    Two words that look like an address are recorded as one: such a size is told by its strides.
    """
    words = image.words(at, 2 * count)
    product = 1
    for place in range(count):
        size, stride = words[place], words[count + place]
        if size in MARKER_WORDS:
            outer = words[count + place - 1] if place else 0
            lost = outer in MARKER_WORDS or stride in MARKER_WORDS or not stride
            size = 0 if lost else outer // stride
        product *= size
    return product


def _size(name: Signature) -> int:
    return next(iter(element_sizes(", ".join(name.template))), 4)
