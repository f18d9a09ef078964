"""Kernels that work on rows: softmax, normalisations, losses."""

from math import ceil

from maya.estimate.cost import Cost, KernelRows
from maya.estimate.kernels.arguments import (
    COUNT,
    CTC_STEPS,
    GAMMA_BETA,
    LOSS_BACKWARD_ROWS,
    LOSS_ROWS,
    SOFTMAX_OF_WARP,
    SOFTMAX_OF_WARP_BACKWARD,
    WIDE_COUNT,
)
from maya.estimate.kernels.image import Image
from maya.estimate.kernels.launch import blocks, blocks_per_sm, occupancy, threads_per_block
from maya.estimate.kernels.signature import Signature, element_sizes
from maya.estimate.parameters import device_parameters
from maya.hardware import Gpu
from maya.trace import Definition

_LOSS_ROW_BYTES = 32 + 8  # a sector for the value, the label
_VECTOR_BYTES = 16
_UNDER_WAY = 4  # turns of a plain loop, as nvcc unrolls it
_NORM_VECTOR = 4  # elements
NORM_THREADS = 128  # of PyTorch's blocks, 32 x 4
_MOST_ROWS_A_THREAD = 1 << 16  # grids of loops over rows end at 65,535 blocks
_ROW_LATENCY_NS = 600.0  # one dependent trip to memory in a block that walks rows alone


def softmax(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """cunn_SoftMax*: one row a block, the row's length behind the pointers."""
    image = Image(work.blob)
    return _softmax(work, name, device, blocks(work), image.i32(image.after_pointers()))


def softmax_of_warp(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """softmax_warp_*: batch, stride and elements behind the tensors."""
    place = SOFTMAX_OF_WARP_BACKWARD if work.family.is_backward else SOFTMAX_OF_WARP
    rows, _, columns = Image(work.blob).read(place)
    return _softmax(work, name, device, rows, columns)


def _softmax(
    work: Definition, name: Signature, device: Gpu, rows: int, columns: int
) -> Cost | None:
    if columns <= 0 or rows <= 0:
        return None
    sizes, family = _types(work, name), work.family
    reads = 2 if family.is_backward else 1
    moved = rows * columns * float(reads * sizes[0] + sizes[-1])
    operations, threads = 20.0 * rows * columns, threads_per_block(work)
    if family.has("of_warp"):
        filled = occupancy(work, device)
        return Cost(moved, operations, occupancy=filled, kind="softmax_warp")
    again = 0.0 if family.has("keeps_row") else 1.0 if family.is_backward else 2.0
    trips = (1 + again) * _trips_of_walk(columns, sizes[0], threads)  # a row that is kept: once
    resident = blocks_per_sm(work, threads, device)
    walked = KernelRows(rows, columns * sizes[0] * reads, threads, again, trips, resident)
    kind = "softmax_shared" if family.has("keeps_row") else "softmax_block"
    return Cost(moved, operations, kind=kind, rows=walked)


def _trips_of_walk(columns: int, element_bytes: float, threads: int) -> float:
    """A thread loads 16 bytes at a time. Rows that begin elsewhere have a first turn of single
    elements, and what is left of whole turns goes one by one, four under way at a time."""
    turn = _VECTOR_BYTES / element_bytes * threads
    if columns * element_bytes % _VECTOR_BYTES == 0:
        return columns / turn
    whole, rest = divmod(max(0, columns - threads), turn)
    return 1 + whole + ceil(rest / threads / _UNDER_WAY)


def spatial_softmax(work: Definition, name: Signature, _device: Gpu) -> Cost | None:
    """Softmax over a dimension that is not the last: outer, dim, inner behind the tensors."""
    image = Image(work.blob)
    at = image.after_pointers()
    wide = any(word in name.template for word in ("long", "unsigned long"))
    read, step = (image.i64, 8) if wide else (image.i32, 4)
    elements = read(at) * read(at + step) * read(at + 2 * step)
    if elements <= 0:
        return None
    # The row is read for maximum, sum and result.
    return Cost(float(elements * _types(work, name)[0] * work.family.passes))


def layer_norm(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """Layer and RMS norm, forward and gradient of the input: a row a block."""
    image = Image(work.blob)
    sizes = _types(work, name)
    backward = work.family.is_backward
    columns = image.i32(image.after_pointers()) if backward else image.number(COUNT)
    rows = blocks(work)
    if not 0 < columns < 1 << 24:
        return None
    threads = threads_per_block(work)
    resident = blocks_per_sm(work, threads, device)
    return norm_of_rows(rows, columns, sizes[0], backward, threads, resident)


def norm_of_rows(
    rows: int,
    columns: int,
    element_bytes: float,
    backward: bool = False,
    threads: int = NORM_THREADS,
    resident: int = 0,
) -> Cost:
    """Layer or RMS norm of rows, by a block of so many threads each."""
    tensors = 3 if backward else 2
    # Two walks, four elements of a row to a thread at a time.
    trips = 2 * columns / (_NORM_VECTOR * threads)
    return Cost(
        float(rows * columns * element_bytes * tensors + rows * 8 + columns * 8),
        10.0 * rows * columns,
        kind="layer_norm",
        rows=KernelRows(
            rows, columns * element_bytes * (tensors - 1), threads, 1.0, trips, resident
        ),
    )


def gamma_beta(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """Gradient of a norm's weights: columns over few blocks, each walking all rows."""
    rows, columns = Image(work.blob).read(GAMMA_BETA)
    if rows <= 0 or columns <= 0:
        return None
    size = _types(work, name)[0]
    # Reads dY and X; few blocks can't fill the device: 32 columns a block of 1024 threads.
    share = min(1.0, blocks(work) * threads_per_block(work) / (device.sm_count * 512))
    return Cost(float(rows * columns * size * 2), occupancy=share, serial_ns=_ROW_LATENCY_NS)


def loss(work: Definition, _name: Signature, _device: Gpu) -> Cost | None:
    """The mean or sum of nll_loss: rows behind six addresses."""
    return _loss_by_one_block(work, Image(work.blob).number(LOSS_ROWS))


def loss_backward(work: Definition, _name: Signature, _device: Gpu) -> Cost | None:
    """Its gradient: rows behind five addresses and a flag."""
    return _loss_by_one_block(work, Image(work.blob).number(LOSS_BACKWARD_ROWS))


def loss_rows(work: Definition) -> int:
    """Rows of a loss that is reduced, 0 where they make no sense."""
    return max(0, Image(work.blob).number(LOSS_ROWS))


def loss_each(work: Definition, _name: Signature, device: Gpu) -> Cost | None:
    """nll_loss without reduction: a thread a row; how many comes first (backward: an int)."""
    rows = Image(work.blob).number(COUNT if work.family.is_backward else WIDE_COUNT)
    if not 0 < rows <= blocks(work) * threads_per_block(work) * _MOST_ROWS_A_THREAD:
        return None
    return Cost(float(rows * _LOSS_ROW_BYTES), occupancy=occupancy(work, device))


def _loss_by_one_block(work: Definition, rows: int) -> Cost | None:
    """Bound by latency, a step each `threads` rows."""
    if rows <= 0:
        return None
    steps = -(-rows // max(1, threads_per_block(work)))
    return Cost(float(rows * _LOSS_ROW_BYTES), serial_ns=steps * _ROW_LATENCY_NS)


def _types(work: Definition, name: Signature) -> list[int]:
    template = ", ".join(name.template)
    sizes = element_sizes(template) or [4]
    own = work.family.has("own_output_type") and len(sizes) > 2
    return [sizes[0], sizes[2] if own else sizes[0]]


def ctc_loss(work: Definition, _name: Signature, device: Gpu) -> Cost | None:
    """ctc_loss_log_alpha_gpu_kernel(results, probabilities, lengths, steps, ...) and its mirror: a
    time step waits for the one before."""
    steps = Image(work.blob).number(CTC_STEPS)
    if not 0 < steps < 1 << 31:
        return None
    moved = float(blocks(work) * threads_per_block(work) * steps * 4 * 3)
    return Cost(moved, serial_ns=steps * device_parameters(device).trip_ns)
