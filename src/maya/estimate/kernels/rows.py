"""Kernels that work on rows: softmax, normalisations, losses."""

from maya.estimate.cost import Cost, Rows
from maya.estimate.kernels.image import Image
from maya.estimate.kernels.launch import blocks, occupancy, threads_per_block
from maya.estimate.kernels.signature import Signature, element_sizes
from maya.hardware import Gpu
from maya.trace import Definition

_ROW_LATENCY_NS = 600.0  # one dependent trip to memory in a block that walks rows alone


def softmax(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """cunn_SoftMax*: one row a block, the row's length behind the pointers."""
    image = Image(work.blob)
    sizes = _types(name)
    at = image.after_pointers()
    if name.base.startswith("softmax_warp"):
        first = 24 if "ackward" in name.base else 16  # batch, stride, elements behind the tensors
        rows, columns = image.i32(first), image.i32(first + 8)
    else:
        rows, columns = blocks(work), image.i32(at)
    if columns <= 0 or rows <= 0:
        return None
    backward = "ackward" in name.base
    reads = 2 if backward else 1
    smem = "Smem" in name.base or name.base.startswith("softmax_warp")
    moved = rows * columns * float(reads * sizes[0] + sizes[-1])
    if smem:
        return Cost(
            moved, 20.0 * rows * columns, occupancy=occupancy(work, device), kind="softmax_warp"
        )
    walked = Rows(
        rows, columns * sizes[0] * reads, threads_per_block(work), 1.0 if backward else 2.0
    )
    return Cost(
        moved,
        20.0 * rows * columns,
        occupancy=occupancy(work, device),
        kind="softmax_block",
        rows=walked,
    )


def spatial_softmax(work: Definition, name: Signature, _device: Gpu) -> Cost | None:
    """Softmax over a dimension that is not the last: outer, dim, inner behind the tensors."""
    image = Image(work.blob)
    at = image.after_pointers()
    wide = any(word in name.template for word in ("long", "unsigned long"))
    read, step = (image.i64, 8) if wide else (image.i32, 4)
    elements = read(at) * read(at + step) * read(at + 2 * step)
    if elements <= 0:
        return None
    passes = 5 if "ackward" in name.base else 4  # the row is read for maximum, sum and result
    return Cost(float(elements * _types(name)[0] * passes))


def layer_norm(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """Layer and RMS norm, forward and gradient of the input: a row a block."""
    image = Image(work.blob)
    sizes = _types(name)
    backward = "grad" in name.base
    columns = image.i32(image.after_pointers()) if backward else image.i32(0)
    rows = blocks(work)
    if not 0 < columns < 1 << 24:
        return None
    tensors = 3 if backward else 2
    return Cost(
        float(rows * columns * sizes[0] * tensors + rows * 8 + columns * 8),
        10.0 * rows * columns,
        occupancy=occupancy(work, device),
        kind="layer_norm",
        rows=Rows(rows, columns * sizes[0] * (tensors - 1), threads_per_block(work), 1.0),
    )


def gamma_beta(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """Gradient of a norm's weights: columns over few blocks, each walking all rows."""
    image = Image(work.blob)
    rows, columns = image.i64(0), image.i64(8)
    if rows <= 0 or columns <= 0:
        return None
    size = _types(name)[0]
    # Reads dY and X; few blocks can't fill the device: 32 columns a block of 1024 threads.
    share = min(1.0, blocks(work) * threads_per_block(work) / (device.sm_count * 512))
    return Cost(float(rows * columns * size * 2), occupancy=share, serial_ns=_ROW_LATENCY_NS)


def nll(work: Definition, name: Signature, _device: Gpu) -> Cost | None:
    """One value a row, by one block: bound by latency, a step each `threads` rows."""
    image = Image(work.blob)
    rows = image.i64(48) if "forward" in name.base else image.i32(44)
    if name.base.endswith("_1d") or rows <= 0:
        return Cost(64.0)
    steps = -(-rows // max(1, threads_per_block(work)))
    per_row = 32 + 8  # a sector for the value, the label
    return Cost(float(rows * per_row), serial_ns=steps * _ROW_LATENCY_NS)


def _types(name: Signature) -> list[int]:
    template = ", ".join(name.template)
    sizes = element_sizes(template) or [4]
    return [sizes[0], sizes[2] if name.base.startswith("cunn_") and len(sizes) > 2 else sizes[0]]
