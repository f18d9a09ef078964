"""PyTorch's elementwise kernels: bytes by element count and operands."""

from maya.estimate.cost import Cost
from maya.estimate.kernels.image import Image
from maya.estimate.kernels.launch import blocks, occupancy, threads_per_block
from maya.estimate.kernels.signature import Signature, element_sizes, lambda_sizes
from maya.hardware import Gpu
from maya.trace import Definition

BASES = (
    "vectorized_elementwise_kernel",
    "unrolled_elementwise_kernel",
    "unrolled_elementwise_kernel_for_multi_outputs",
    "elementwise_kernel",
    "elementwise_kernel_with_index",
    "legacy_elementwise_kernel",
    "distribution_elementwise_grid_stride_kernel",
    "index_elementwise_kernel",
    "masked_scale_kernel",
)
# Scalar operations an element, beside loads and stores; what is not named here is cheap.
_HEAVY = {
    "Gelu": 30.0,
    "tanh": 20.0,
    "Tanh": 20.0,
    "pow": 60.0,
    "erf": 30.0,
    "exp": 15.0,
    "log": 15.0,
    "sin": 25.0,
    "cos": 25.0,
    "sigmoid": 15.0,
    "silu": 15.0,
    "curand": 20.0,
}
_MAX_DIMS = 25  # of OffsetCalculator
_MOST_A_THREAD = 65536  # a count beyond is no count


def cost(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """Bytes are what the operands span: a broadcast operand is read once."""
    image = Image(work.blob)
    elements = element_count(name, image)
    most = blocks(work) * threads_per_block(work) * _MOST_A_THREAD
    if not 0 < elements <= most:
        return None
    moved = _bytes(name, image, elements)
    heavy = max((cost for word, cost in _HEAVY.items() if word in name.name), default=4.0)
    kind = "powu" if "pow_tensor_scalar" in name.name else ""
    filled = occupancy(work, device, 256)
    return Cost(moved, operations=heavy * elements, occupancy=filled, kind=kind)


def element_count(name: Signature, image: Image) -> int:
    """The leading integer of the parameters."""
    wide = name.has("index_elementwise_kernel<128, 4, long")
    return image.i64(0) if wide else image.i32(0)


def _bytes(name: Signature, image: Image, elements: int) -> float:
    cast = _cast_sizes(name, image)
    if cast:
        return float(elements * sum(cast))
    count = name.operand_count or max(1, image.pointers())
    size = _element_bytes(name)
    spans = _spans(name, image, elements, count, size)
    if spans:
        return spans
    inputs = lambda_sizes(name.name)
    if len(inputs) == count - 1:  # an output has the type of the widest input, mostly
        return float(elements * (sum(inputs) + _output_bytes(name, size)))
    return float(elements * count * size)


def _element_bytes(name: Signature) -> int:
    inside = lambda_sizes(name.name) or element_sizes(name.name.partition("<")[2])
    return inside[0] if inside else 4


def _output_bytes(name: Signature, size: int) -> int:
    if name.has("bfloat16_copy_kernel", "float16_copy_kernel"):
        return 2
    if name.has("Compare", "isnan", "logical_", "bool"):
        return 1
    return size


def _cast_sizes(name: Signature, image: Image) -> list[int]:
    """LoadWithCast and StoreWithCast carry the sizes of the elements in memory."""
    if "WithCast" not in name.name:
        return []
    count = name.operand_count
    at = -(-(image.after_pointers() + 2) // 4) * 4  # behind two empty offset calculators
    inputs = count - 1
    sizes_at = at + -(-inputs // 4) * 4
    sizes = list(image.words(sizes_at, inputs))
    sizes.append(image.u32(sizes_at + 4 * inputs + 4))
    return sizes if all(size in (1, 2, 4, 8, 16) for size in sizes) else []


def _spans(name: Signature, image: Image, elements: int, count: int, size: int) -> float:
    """Bytes that strided operands span, from the OffsetCalculator of `elementwise_kernel`."""
    if name.base != "elementwise_kernel" or count not in (1, 2, 3, 4):
        return 0.0
    dims = image.i32(8)
    if not 1 <= dims <= _MAX_DIMS:
        return 0.0
    extents = _extents(image, dims, elements)
    strides_at = 12 + 12 * _MAX_DIMS
    total = 0.0
    for operand in range(count):
        strides = [image.u32(strides_at + 4 * (dim * count + operand)) for dim in range(dims)]
        total += _span(extents, strides, size)
    return total


def _extents(image: Image, dims: int, elements: int) -> list[int]:
    extents = [max(1, image.u32(12 + 12 * dim)) for dim in range(dims)]
    known = 1
    for extent in extents[:-1]:
        known *= extent
    return [*extents[:-1], max(1, elements // known)]


def _span(extents: list[int], strides: list[int], size: int) -> float:
    distinct = 1
    for extent, stride in zip(extents, strides, strict=True):
        distinct *= extent if stride else 1
    # A stride beyond a sector of 32 bytes wastes the rest of it, if no other dimension is dense.
    dense = any(0 < stride <= size for stride in strides)
    step = min((stride for stride in strides if stride), default=size)
    return distinct * float(size if dense else min(32, max(size, step)))
