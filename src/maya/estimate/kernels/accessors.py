"""Kernels whose tensors are passed as accessors, with their sizes."""

from maya.estimate.cost import Cost, KernelRows
from maya.estimate.depthwise import UNROLLED_SHARE, UNROLLED_TAPS, instructions
from maya.estimate.kernels.arguments import (
    ACCESSOR_OF_THREE,
    ACCESSORS_OF_FOUR,
    COLUMNS_BEHIND_ROWS,
    DEPTHWISE_FILTER,
    EMBEDDING_BAG,
    GROUPS,
    WIDE_COUNT,
    Place,
)
from maya.estimate.kernels.image import MARKER_WORDS, Image
from maya.estimate.kernels.launch import blocks, blocks_per_sm, occupancy, threads_per_block
from maya.estimate.kernels.signature import Signature, element_sizes
from maya.families import layout
from maya.hardware import Gpu
from maya.trace import Definition

_TENSOR_INFO = layout("at::cuda::detail::TensorInfo<float, uint32_t>")
_DIRECTIONS = frozenset({"fprop", "dgrad", "wgrad"})
_MOST_TAPS = 1 << 12
_A_MOMENT = 32.0  # instructions that add an element to mean and variance: a division is among them


def batch_norm(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """PackedTensorAccessor of three dimensions: pointer, sizes, strides."""
    passes = work.family.passes
    elements = _product(Image(work.blob), ACCESSOR_OF_THREE)
    if elements <= 0:
        return None
    return Cost(float(elements * _size(name) * passes), occupancy=occupancy(work, device))


def depthwise(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """Accessors of four dimensions: what is read, what is written (the weights' gradient: both
    read), and the filter. Index arithmetic outweighs the traffic."""
    image = Image(work.blob)
    first, second = (_product(image, place) for place in ACCESSORS_OF_FOUR)
    height, width = image.read(DEPTHWISE_FILTER)
    taps = height * width
    if min(first, second) <= 0 or not 0 < taps <= _MOST_TAPS:
        return None
    direction = next(iter(work.family.traits & _DIRECTIONS))
    issued = instructions(direction, first, second, taps)
    if direction == "fprop" and taps in UNROLLED_TAPS:
        issued *= UNROLLED_SHARE
    moved = float((first + second) * _size(name))
    return Cost(moved, occupancy=occupancy(work, device), issued=issued)


def dropout(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """Three TensorInfo (input, output, mask), then the element count."""
    elements = Image(work.blob).u32(3 * _TENSOR_INFO.bytes)
    if not 0 < elements < 1 << 31:
        return None
    moved = float(elements * (2 * _size(name) + 1))
    return Cost(moved, 20.0 * elements, occupancy=occupancy(work, device))


def embedding_bag(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """Behind five pointers: indices, bags, features."""
    indices, bags, features = Image(work.blob).read(EMBEDDING_BAG)
    if min(indices, bags, features) <= 0:
        return None
    moved = float((indices + bags) * features * _size(name) + indices * 16)
    return Cost(moved, occupancy=occupancy(work, device))


def batch_norm_channels_last(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """Rows and channels behind the tensors (the gradient of the input: behind a factor)."""
    image = Image(work.blob)
    at = image.after_pointers()
    while at + 8 <= len(image) and image.i64(at) == 0:
        at += 8  # one block a channel needs no room for partial sums: null addresses
    at += 4 if work.family.has("factor_first") else 0
    elements = image.i32(at) * image.i32(at + 4)
    if elements <= 0:
        return None
    moved = float(elements * _size(name) * work.family.passes)
    return Cost(moved, occupancy=occupancy(work, device))


def moments(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """A group or row a block; its size comes first, or behind how many there are."""
    place = COLUMNS_BEHIND_ROWS if work.family.has("rows_first") else WIDE_COUNT
    columns, threads = Image(work.blob).number(place), threads_per_block(work)
    if not 0 < columns < 1 << 31:
        return None
    resident = blocks_per_sm(work, threads, device)
    walked = KernelRows(
        blocks(work), columns * _size(name), threads, 0.0, columns / threads, resident
    )
    elements = blocks(work) * columns
    return Cost(float(elements * _size(name)), issued=elements * _A_MOMENT, rows=walked)


def group_parameters(work: Definition, _name: Signature, device: Gpu) -> Cost | None:
    """Factors for each channel of each image, in fp32: images and channels come first."""
    image = Image(work.blob)
    images, channels = image.read(GROUPS)
    if work.family.is_backward:
        images, channels = work.number("grid_x", 1), image.number(WIDE_COUNT)
    if not 0 < images * channels < 1 << 40:
        return None
    return Cost(float(images * channels * 8), occupancy=occupancy(work, device))


def internal_gradients(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """Sums of group normalisation's backward: a block a plane, whose size comes first."""
    plane = Image(work.blob).number(WIDE_COUNT)
    if not 0 < plane < 1 << 31:
        return None
    read, threads = plane * 2 * _size(name), threads_per_block(work)  # gradient and input
    resident = blocks_per_sm(work, threads, device)
    walked = KernelRows(blocks(work), read, threads, 0.0, plane / threads, resident)
    return Cost(float(blocks(work) * (read + 8)), rows=walked)


def _product(image: Image, place: Place) -> int:
    """Elements of an accessor: sizes, then strides.

    Two words that look like an address are recorded as one: such a size is told by its strides.
    """
    count = place.count
    words = image.words(place.at, 2 * count)
    product = 1
    for axis in range(count):
        size, stride = words[axis], words[count + axis]
        if size in MARKER_WORDS:
            outer = words[count + axis - 1] if axis else 0
            lost = outer in MARKER_WORDS or stride in MARKER_WORDS or not stride
            size = 0 if lost else outer // stride
        product *= size
    return product


def _size(name: Signature) -> int:
    return next(iter(element_sizes(", ".join(name.template))), 4)
