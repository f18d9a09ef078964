"""Gather, scatter, embedding gradients, concatenation, sort and scan."""

from maya.estimate.cost import Cost
from maya.estimate.kernels.image import Image
from maya.estimate.kernels.launch import blocks, occupancy, threads_per_block
from maya.estimate.kernels.signature import Signature, element_sizes, template_arguments
from maya.hardware import Gpu
from maya.trace import Definition

_INDEX_BYTES = 8
_LOOK_BACK_NS = 1000.0  # blocks of a scan wait for their predecessors


def gather(work: Definition, _name: Signature, device: Gpu) -> Cost | None:
    """vectorized_gather_kernel(out, in, indices, count, bytes a slice, ...)."""
    image = Image(work.blob)
    count, slice_bytes = image.i32(24), image.i64(32)
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
    image, width, info = Image(work.blob), 8 if wide else 4, 416 if wide else 216
    read = image.i64 if wide else image.u32
    at = 3 * info + 8
    elements, of_index = read(at), read(at + width)
    if work.family.has("few_indices"):
        of_index = elements
        elements *= read(2 * info + 8)  # how many indices
    if elements <= 0 or not 0 < of_index <= elements:
        return None
    size = next(iter(element_sizes(name.template[0])), 4)
    moved = elements * size * work.family.passes + elements / of_index * _INDEX_BYTES
    return Cost(moved, occupancy=occupancy(work, device))


def roll(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """roll_cuda_kernel(in, out, count, ...)."""
    elements = Image(work.blob).i64(16)
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
    slots, index_bytes = int(types[2]), 4 if types[1] == "unsigned int" else 8
    size = next(iter(element_sizes(types[0])), 4)
    counts_at = 8 + 8 * slots + 2 * index_bytes * slots
    read = image.u32 if index_bytes == 4 else image.i64
    inputs = min(slots, work.number("grid_y", 1))
    elements = sum(read(counts_at + index_bytes * place) for place in range(inputs))
    return Cost(2.0 * elements * size, occupancy=occupancy(work, device))


def chunk_concatenate(work: Definition, _name: Signature, device: Gpu) -> Cost | None:
    """chunk_cat_cuda_kernel: FSDP2 lays out gradients for the reduce-scatter, and widens them.

    Behind eight addresses stand the bytes of a slice of the result, of one of its chunks, and how
    many times wider the elements of the result are; gridDim.z counts slices.
    """
    image = Image(work.blob)
    slice_bytes, chunk_bytes, ratio = image.i64(64), image.i64(72), image.i64(80)
    if not 0 < chunk_bytes <= slice_bytes or ratio not in (1, 2, 4, 8):
        return None
    written = float(slice_bytes * work.number("grid_z", 1))
    return Cost(written * (1 + 1 / ratio), occupancy=occupancy(work, device))


def split_copy(work: Definition, _name: Signature, device: Gpu) -> Cost | None:
    """split_with_sizes_copy_out_*: FSDP2 takes gathered parameters apart.

    Behind five addresses stand the bytes of a row of the source, and the number of rows.
    """
    image = Image(work.blob)
    row_bytes, rows = image.i64(40), image.i64(48)
    if row_bytes <= 0 or rows <= 0:
        return None
    return Cost(2.0 * row_bytes * rows, occupancy=occupancy(work, device))


def embedding_features(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """Gradients are added to a small table: indices, then columns behind three addresses."""
    image = Image(work.blob)
    return _embedding(work, name, device, image.i32(24), image.i64(32))


def embedding_weights(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """Partial sums of sorted indices: indices and columns behind three addresses."""
    image = Image(work.blob)
    return _embedding(work, name, device, image.i64(24), image.i64(32))


def embedding_sums(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """Partial sums become rows of the table; only the columns are told."""
    columns = Image(work.blob).i64(16)
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


def scan(work: Definition, _name: Signature, _device: Gpu) -> Cost | None:
    """CUB's scan, selection and unique: one pass with look-back."""
    items = min(_largest(work), blocks(work) * threads_per_block(work) * 16)
    return Cost(float(items * 2 * _INDEX_BYTES), serial_ns=_LOOK_BACK_NS)


def _largest(work: Definition) -> int:
    """The largest number that can be a count of items; garbage in padding may be larger."""
    bound = blocks(work) * threads_per_block(work) * 32
    return max((size for size in Image(work.blob).sizes() if size <= bound), default=bound)
