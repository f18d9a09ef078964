"""Gather, scatter, embedding gradients, concatenation, sort and scan."""

from maya.estimate.cost import Cost
from maya.estimate.kernels.arguments import (
    CHUNKS,
    EMBEDDING_FEATURES,
    EMBEDDING_SUMS,
    EMBEDDING_WEIGHTS,
    GATHER_COUNT,
    GATHER_SLICE_BYTES,
    REVERSED_PLACES,
    ROLL_COUNT,
    SPLIT,
)
from maya.estimate.kernels.image import Image
from maya.estimate.kernels.launch import blocks, occupancy, threads_per_block
from maya.estimate.kernels.signature import Signature, element_sizes, template_arguments
from maya.families import layout
from maya.hardware import Gpu
from maya.trace import Definition

# By whether its indices are of 64 bits.
_TENSOR_INFO = tuple(
    layout(f"at::cuda::detail::TensorInfo<float, {index}>") for index in ("uint32_t", "uint64_t")
)
_CONCATENATED = (128, 64, 32, 16)  # most inputs of a launch, by its template
_OUTPUT_BYTES = 8  # the address of the result, before the inputs
_INDEX_BYTES = 8
_VECTOR_BYTES = 16
_ELEMENT, _DIVISION = 20.0, 17.0  # instructions
_LOOK_BACK_NS = 1000.0  # blocks of a scan wait for their predecessors


def gather(work: Definition, _name: Signature, device: Gpu) -> Cost | None:
    """vectorized_gather_kernel(out, in, indices, count, bytes a slice, ...)."""
    image = Image(work.blob)
    count, slice_bytes = image.number(GATHER_COUNT), image.number(GATHER_SLICE_BYTES)
    if count <= 0 or slice_bytes <= 0:
        return None
    moved = float(count * (2 * slice_bytes + _INDEX_BYTES))
    return Cost(moved, occupancy=occupancy(work, device))


def by_index(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """index_add, index_fill and index_select: indexFuncLargeIndex(to, from, indices, ...) and kin.

    Behind three TensorInfo and two dimensions stand the elements in all, if there are many indices,
    and those of one index. Grids are of the device's size, not of the problem's.
    """
    if len(name.template) < 3:
        return None
    wide = "long" in name.template[2]
    image, width, info = Image(work.blob), 8 if wide else 4, _TENSOR_INFO[wide]
    read = image.i64 if wide else image.u32
    at = 3 * info.bytes + 8
    elements, of_index = read(at), read(at + width)
    if work.family.has("few_indices"):
        of_index = elements
        elements *= read(2 * info.bytes + info.at("sizes"))  # how many indices
    if elements <= 0 or not 0 < of_index <= elements:
        return None
    size = next(iter(element_sizes(name.template[0])), 4)
    moved = elements * size * work.family.passes + elements / of_index * _INDEX_BYTES
    return Cost(moved, occupancy=occupancy(work, device))


def roll(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """roll_cuda_kernel(in, out, count, ...)."""
    elements = Image(work.blob).number(ROLL_COUNT)
    if not 0 < elements < 1 << 40:
        return None
    size = next(iter(element_sizes(", ".join(name.template))), 4)
    return Cost(2.0 * elements * size, occupancy=occupancy(work, device))


def concatenate(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """CatArrayBatchedCopy*: the sizes of the inputs stand in the metadata."""
    image = Image(work.blob)
    types = template_arguments(name.name, "CatArrInputTensorMetadata")
    if len(types) < 3 or not types[2].isdigit():
        return None
    slots, index = int(types[2]), "uint32_t" if types[1] == "unsigned int" else "uint64_t"
    if slots not in _CONCATENATED:
        return None
    counts = layout(f"maya_concatenation<{index}, {slots}, 1>").fields["elements"]
    size = next(iter(element_sizes(types[0])), 4)
    read = image.u32 if counts.element_bytes == 4 else image.i64
    inputs = min(slots, work.number("grid_y", 1))
    first = _OUTPUT_BYTES + counts.at
    elements = sum(read(first + counts.element_bytes * place) for place in range(inputs))
    issued = elements * _placing(name, size)
    return Cost(2.0 * elements * size, occupancy=occupancy(work, device), issued=issued)


def _placing(name: Signature, size: int) -> float:
    """Instructions that find an element's place in the result, a division a dimension; dense
    inputs at good addresses are copied 16 bytes at a time."""
    dims = int(name.template[2]) if len(name.template) > 2 and name.template[2].isdigit() else 1
    at_once = _VECTOR_BYTES / size if "aligned" in name.base else 1
    return (_ELEMENT + _DIVISION * (dims - 1)) / at_once


def chunk_concatenate(work: Definition, _name: Signature, device: Gpu) -> Cost | None:
    """chunk_cat_cuda_kernel: FSDP2 lays out gradients for the reduce-scatter, and widens them.

    Behind eight addresses stand the bytes of a slice of the result, of one of its chunks, and how
    many times wider the elements of the result are; gridDim.z counts slices.
    """
    slice_bytes, chunk_bytes, ratio = Image(work.blob).read(CHUNKS)
    if not 0 < chunk_bytes <= slice_bytes or ratio not in (1, 2, 4, 8):
        return None
    written = float(slice_bytes * work.number("grid_z", 1))
    return Cost(written * (1 + 1 / ratio), occupancy=occupancy(work, device))


def split_copy(work: Definition, _name: Signature, device: Gpu) -> Cost | None:
    """split_with_sizes_copy_out_*: FSDP2 takes gathered parameters apart.

    Behind five addresses stand the bytes of a row of the source, and the number of rows.
    """
    row_bytes, rows = Image(work.blob).read(SPLIT)
    if row_bytes <= 0 or rows <= 0:
        return None
    return Cost(2.0 * row_bytes * rows, occupancy=occupancy(work, device))


def embedding_features(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """Gradients are added to a small table: indices, then columns behind three addresses."""
    indices, columns = map(Image(work.blob).number, EMBEDDING_FEATURES)
    return _embedding(work, name, device, indices, columns)


def embedding_weights(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """Partial sums of sorted indices: indices and columns behind three addresses."""
    return _embedding(work, name, device, *Image(work.blob).read(EMBEDDING_WEIGHTS))


def embedding_sums(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """Partial sums become rows of the table; only the columns are told."""
    columns = Image(work.blob).number(EMBEDDING_SUMS)
    rows = blocks(work) * threads_per_block(work) // max(1, columns)
    return _embedding(work, name, device, rows, columns)


def embedding_indices(work: Definition, _name: Signature, _device: Gpu) -> Cost | None:
    """Steps of embedding's backward that look at indices only, a thread each."""
    return Cost(float(blocks(work) * threads_per_block(work) * 3 * _INDEX_BYTES))


def _embedding(
    work: Definition, name: Signature, device: Gpu, rows: int, columns: int
) -> Cost | None:
    if rows <= 0 or columns <= 0:
        return None
    size = next(iter(element_sizes(", ".join(name.template))), 4)
    moved = float(rows * columns * size * work.family.passes)
    return Cost(moved, occupancy=occupancy(work, device))


def sort(work: Definition, _name: Signature, _device: Gpu) -> Cost | None:
    """CUB's radix sort: a launch that reads all keys of 8 bytes."""
    return Cost(float(_sorted(work, 16) * 8), serial_ns=_LOOK_BACK_NS)


def sort_sweep(work: Definition, _name: Signature, _device: Gpu) -> Cost | None:
    """One pass over keys and values, read and written, in one sweep with look-back."""
    return Cost(float(_sorted(work, 21) * 32), serial_ns=_LOOK_BACK_NS * 3)


def _sorted(work: Definition, items_a_thread: int) -> int:
    """CUB's policies for 8-byte keys give a thread so many items."""
    return min(_largest(work), blocks(work) * threads_per_block(work) * items_a_thread)


def segmented_sort(work: Definition, name: Signature, _device: Gpu) -> Cost | None:
    """A pass of CUB's sort of rows, a block a row: counts keys, then moves keys and values.

    Behind the tensors stand where rows begin and end: a length and a place each.
    """
    image = Image(work.blob)
    length, _, same, _ = image.words(image.after_pointers(), 4)
    if length <= 0 or length != same:
        return None
    key, value, *_ = [*element_sizes(", ".join(name.template[1:])), 4, 8]
    return Cost(float(blocks(work) * length * (3 * key + 2 * value)))


def reverse_places(work: Definition, _name: Signature, _device: Gpu) -> Cost | None:
    """fill_reverse_indices_kernel(places, count, ...): what a sort begins with."""
    count = Image(work.blob).number(REVERSED_PLACES)
    return Cost(float(count * _INDEX_BYTES)) if count > 0 else None


def scan(work: Definition, _name: Signature, _device: Gpu) -> Cost | None:
    """CUB's scan, selection and unique: one pass with look-back."""
    items = min(_largest(work), blocks(work) * threads_per_block(work) * 16)
    return Cost(float(items * 2 * _INDEX_BYTES), serial_ns=_LOOK_BACK_NS)


def _largest(work: Definition) -> int:
    """The largest number that can be a count of items; garbage in padding may be larger."""
    bound = blocks(work) * threads_per_block(work) * 32
    return max((size for size in Image(work.blob).sizes() if size <= bound), default=bound)
