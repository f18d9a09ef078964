"""Kernels that nothing is known of: a bounded guess from launch and arguments, flagged."""

from math import sqrt

from maya.estimate.cost import Cost
from maya.estimate.kernels.image import Image
from maya.estimate.kernels.launch import blocks, occupancy, threads_per_block
from maya.hardware import Gpu
from maya.trace import Definition

_LEAST_BYTES_A_THREAD = 4
_MOST_BYTES_A_THREAD = 512
_TRITON_BYTES = 3.0  # an element, between 16 and 32 bits


def unknown(work: Definition, device: Gpu) -> Cost:
    """Between one word and a few cache lines a thread: the geometric mean, some operands."""
    threads = blocks(work) * threads_per_block(work)
    operands = max(1, min(4, Image(work.blob).pointers()))
    per_thread = sqrt(_LEAST_BYTES_A_THREAD * _MOST_BYTES_A_THREAD)
    return Cost(threads * per_thread * operands / 2, occupancy=occupancy(work, device))


def triton(work: Definition, device: Gpu) -> Cost | None:
    """A Triton kernel, by its size arguments: Inductor passes xnumel (and rnumel) as integers."""
    image = Image(work.blob)
    pointers = image.pointers()
    if pointers == 0:
        return None
    sizes = _trailing(image)
    threads = blocks(work) * threads_per_block(work)
    if not sizes:
        return Cost(threads * 16.0 * pointers / 2, occupancy=occupancy(work, device, 256))
    elements = 1.0
    for size in sizes:
        elements *= size
    # A masked launch has at most one block too many; a row a program may read thousands.
    elements = min(elements, threads * 4096.0)
    # Reductions carry weights, statistics and partial sums beside tensors of full size.
    reduces = len(sizes) > 1
    tensors = 2 + 0.4 * max(0, pointers - 2) if reduces else min(pointers, 6)
    return Cost(elements * _TRITON_BYTES * tensors, occupancy=occupancy(work, device, 256))


def _trailing(image: Image) -> list[int]:
    """Integers behind the last pointer, before zeros of scratch pointers."""
    at = image.after_pointers()
    found: list[int] = []
    while at + 4 <= len(image) and len(found) < 3:
        value = image.i32(at)
        if value <= 0:
            break
        found.append(value)
        at += 4
    return found
