"""Kernels that nothing is known of: a bounded guess from launch and arguments, flagged."""

from dataclasses import replace
from math import sqrt

from maya.estimate.cost import Cost
from maya.estimate.kernels.image import Image
from maya.estimate.kernels.launch import blocks, occupancy, threads_per_block
from maya.hardware import Gpu
from maya.trace import Definition
from maya.trace.format import REACH

_LEAST_BYTES_A_THREAD = 4
_MOST_BYTES_A_THREAD = 512
_LONG_BYTES_A_THREAD = 16384  # a row of 32,768 words, walked by sixteen threads, and written
_PASSES = 4
_TRITON_BYTES = 3.0  # an element, between 16 and 32 bits


def unknown(work: Definition, device: Gpu) -> Cost:
    """Between one word and a few cache lines a thread: the geometric mean, some operands."""
    per_thread = sqrt(_LEAST_BYTES_A_THREAD * _MOST_BYTES_A_THREAD)
    return _by_threads(work, device, per_thread / 2)


def at_most(work: Definition, device: Gpu) -> Cost:
    """The most that is likely: all that lies behind its addresses a few times over, as far as
    threads walk; where a capture does not tell what lies there, a few cache lines a thread."""
    reach = work.number(REACH)
    if not reach:
        return replace(_by_threads(work, device, _MOST_BYTES_A_THREAD), occupancy=1.0)
    walked = _by_threads(work, device, _LONG_BYTES_A_THREAD)
    return replace(walked, bytes=min(walked.bytes, float(_PASSES * reach)), occupancy=1.0)


def _by_threads(work: Definition, device: Gpu, bytes_a_thread: float) -> Cost:
    threads = blocks(work) * threads_per_block(work)
    operands = max(1, min(4, Image(work.blob).pointers()))
    moved = min(threads * bytes_a_thread * operands, float(device.total_memory_bytes))
    return Cost(moved, occupancy=occupancy(work, device))


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
