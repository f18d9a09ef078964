"""PyTorch's elementwise kernels: bytes by element count and operands."""

import re
from collections.abc import Iterator, Mapping
from typing import TypeVar

from maya.estimate.cost import Cost
from maya.estimate.kernels.arguments import COUNT, WIDE_COUNT
from maya.estimate.kernels.image import MARKER_WORDS, Image
from maya.estimate.kernels.launch import blocks, occupancy, threads_per_block
from maya.estimate.kernels.signature import (
    Signature,
    element_sizes,
    lambda_sizes,
    without_lambda_arguments,
)
from maya.families import layout, table
from maya.hardware import Gpu
from maya.trace import Definition

T = TypeVar("T")

_CHEAP = 4.0  # scalar operations an element
# Instructions to find out the type of one operand in memory and convert it: comparisons and
# branches, element after element. Counted in the code of PyTorch 2.9 for bf16 and fp32.
_CAST = 20.0
# Counted in the code of `elementwise_kernel` for Ampere: a thread works out where each element of
# each operand lies, dimension by dimension (a division, a remainder, a product with each stride),
# and loads and stores elements one at a time.
_ALONE = 15.0
_A_DIMENSION = 10.0
# elementwise_kernel(int count, lambda): the lambda begins with an OffsetCalculator.
_LAMBDA_AT = 8
_CALCULATOR = layout("OffsetCalculator<1, uint32_t>")
_MAX_DIMS = _CALCULATOR.fields["sizes"].count
_MOST_CASTS = 4  # operands that LoadWithCast reads, in the versions of the table
_MOST_OPERANDS = 8  # the backward of group normalisation has six
_MOST_A_THREAD = 65536  # a count beyond is no count
_UNTOLD_BYTES = 4
_SPECIAL = 100.0  # scalar operations of a special function: a series or a ratio of polynomials
_SECTOR = 32  # bytes, what a cache delivers at least
_CACHE_OVER_MEMORY = 2.5  # bandwidth of L2 over that of memory; assumed, 2 to 3 on these GPUs


def cost(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """Bytes are what the operands span: a broadcast operand is read once."""
    image = Image(work.blob)
    elements = element_count(work, image)
    most = blocks(work) * threads_per_block(work) * _MOST_A_THREAD
    if not 0 < elements <= most:
        return None
    moved = _bytes(work, name, image, elements)
    casts = len(_cast_sizes(name, image))
    multiplies = bool(re.search(table().multiplied_powers, name.name))
    heavy = _CHEAP if multiplies else max(_told(name, table().scalar_operations), default=_CHEAP)
    issued = elements * (_addressing(work, image) + _CAST * casts)
    kind = "" if multiplies else next(_told(name, table().fitted_operations), "")
    filled = occupancy(work, device, 256)
    return Cost(moved, heavy * elements, occupancy=filled, kind=kind, issued=issued)


def dense_cost(elements: int, moved: float) -> Cost:
    """A kernel of dense operands that computes little, on as many threads as it likes."""
    return Cost(moved, _CHEAP * elements)


def at_run_time(work: Definition, device: Gpu) -> Cost | None:
    """Compiled by NVRTC under whatever name (special functions, complex numbers, jiterator): an
    element count, then an array of addresses. What an element is, nothing tells: four bytes."""
    image = Image(work.blob)
    elements, operands = image.number(COUNT), image.pointers()
    most = blocks(work) * threads_per_block(work) * _MOST_A_THREAD
    first = image.words(_LAMBDA_AT, 2)
    if not work.text("code") or not 0 < elements <= most or first != MARKER_WORDS:
        return None
    moved = float(elements * operands * _UNTOLD_BYTES)
    return Cost(moved, _SPECIAL * elements, occupancy=occupancy(work, device, 256))


def flip(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """index_elementwise_kernel of flip: each element read at one place, written at another."""
    image = Image(work.blob)
    elements, dims = element_count(work, image), _dims(image)
    size = next(iter(element_sizes(name.name)), 4)
    if elements <= 0 or not 1 <= dims <= _MAX_DIMS:
        return None
    issued = elements * (_ALONE + _A_DIMENSION * dims)
    return Cost(2.0 * elements * size, occupancy=occupancy(work, device, 256), issued=issued)


def _addressing(work: Definition, image: Image) -> float:
    """Instructions that find an element: in 16 bits they may take longer than its bytes do."""
    dims = _dims(image)
    if not _is_strided(work) or not 1 <= dims <= _MAX_DIMS:
        return 0.0
    return _ALONE + _A_DIMENSION * dims


def element_count(work: Definition, image: Image) -> int:
    """The leading integer of the parameters."""
    return image.number(WIDE_COUNT if work.family.has("wide_count") else COUNT)


def _is_strided(work: Definition) -> bool:
    """Whether its operands stand behind an OffsetCalculator."""
    return work.family.reader == "strided"


def _told(name: Signature, words: Mapping[str, T]) -> Iterator[T]:
    return (value for word, value in words.items() if word in name.name)


def _bytes(work: Definition, name: Signature, image: Image, elements: int) -> float:
    cast = _cast_sizes(name, image)
    if cast:
        return float(elements * sum(cast))
    count = name.operand_count or max(1, image.pointers())
    size = _element_bytes(name)
    spans = _spans(work, image, elements, size)
    if spans:
        return spans
    inputs = lambda_sizes(name.name)
    if len(inputs) == count - 1:  # an output has the type of the widest input, mostly
        return float(elements * (sum(inputs) + _output_bytes(name, max(inputs, default=size))))
    return float(elements * ((count - 1) * size + _output_bytes(name, size)))


def _element_bytes(name: Signature) -> int:
    inside = lambda_sizes(name.name) or element_sizes(name.name.partition("<")[2])
    return inside[0] if inside else 4


def _output_bytes(name: Signature, size: int) -> int:
    """What a lambda takes says nothing of its result: masks are operands too."""
    told = without_lambda_arguments(name.name)
    return next((found for word, found in table().result_bytes.items() if word in told), size)


def _cast_sizes(name: Signature, image: Image) -> list[int]:
    """LoadWithCast and StoreWithCast carry the sizes of the elements in memory."""
    inputs = name.operand_count - 1
    if "WithCast" not in name.name or not 1 <= inputs <= _MOST_CASTS:
        return []
    at = -(-(image.after_pointers() + 2) // 4) * 4  # behind two empty offset calculators
    loader = layout(f"at::native::memory::LoadWithCast<{inputs}>")
    storer = layout("at::native::memory::StoreWithCast<1>")
    sizes = list(image.words(at + loader.at("element_sizes"), inputs))
    sizes.append(image.u32(at + loader.bytes + storer.at("element_sizes")))
    return sizes if all(size in (1, 2, 4, 8, 16) for size in sizes) else []


def _spans(work: Definition, image: Image, elements: int, size: int) -> float:
    """Bytes of strided operands, from the OffsetCalculator of `elementwise_kernel`."""
    count = _strided_operands(image)
    dims = _dims(image)
    known = 1 <= count <= _MOST_OPERANDS and 1 <= dims <= _MAX_DIMS
    if not _is_strided(work) or not known:
        return 0.0
    extents = _extents(image, dims, elements)
    strides_at = _LAMBDA_AT + _CALCULATOR.at("strides")
    in_block = max(1, elements // blocks(work))
    total = 0.0
    for operand in range(count):
        strides = [image.u32(strides_at + 4 * (dim * count + operand)) for dim in range(dims)]
        total += _span(extents, strides, size, in_block)
    return total


def _strided_operands(image: Image) -> int:
    """The parameters hold a count, dimensions and 25 divisors, then strides and a pointer for each
    operand, then a functor that is smaller than those. Unused slots hold whatever the stack held,
    so pointers cannot be counted."""
    return (len(image) - _LAMBDA_AT - _CALCULATOR.at("strides")) // (4 * _MAX_DIMS + 8)


def _dims(image: Image) -> int:
    return image.i32(_LAMBDA_AT + _CALCULATOR.at("dims"))


def _extents(image: Image, dims: int, elements: int) -> list[int]:
    sizes = _CALCULATOR.fields["sizes"]
    places = (_LAMBDA_AT + sizes.at + sizes.element_bytes * dim for dim in range(dims))
    extents = [max(1, image.u32(place)) for place in places]
    known = 1
    for extent in extents[:-1]:
        known *= extent
    return [*extents[:-1], max(1, elements // known)]


def _span(extents: list[int], strides: list[int], size: int, in_block: int) -> float:
    """Bytes of one operand, as if all came from memory."""
    used = [stride for stride in strides if stride]
    step = min(used, default=size)
    size = step if step in (1, 2, 4, 8, 16) else size  # a dense operand tells its own size
    distinct = 1
    for extent, stride in zip(extents, strides, strict=True):
        distinct *= extent if stride else 1
    # A stride beyond a sector of 32 bytes wastes the rest of it, if no other dimension is dense.
    from_memory = distinct * float(min(_SECTOR, max(size, step)))
    if strides[0] <= size:
        return from_memory
    # Neighbouring threads touch different sectors: the cache delivers a whole one to each, less
    # what threads of the same block find again.
    rows = in_block / extents[0] if step <= size else 1.0
    again = min(_SECTOR / size, max(1.0, rows))
    from_cache = distinct * min(_SECTOR, strides[0]) / again / _CACHE_OVER_MEMORY
    return max(from_memory, from_cache)
