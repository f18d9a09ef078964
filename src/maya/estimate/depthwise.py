"""Depthwise convolutions by kernels that are made for any shape: bound by index arithmetic."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Counts:
    """Instructions, estimated from the source of PyTorch's own kernels."""

    element: float  # that is written: three divisions tell where it lies
    tried: float  # a tap of the filter that is tried on it
    met: float  # a tap that falls on an element: bounds, an index, two loads


# The weights' gradient gives a block one tap, and divides for every element again.
COUNTS = {
    "fprop": Counts(100.0, 0.0, 10.0),
    "dgrad": Counts(120.0, 4.0, 8.0),
    "wgrad": Counts(0.0, 0.0, 45.0),
}
# PyTorch compiles its forward kernel for these filters apart, with loops unrolled: what is left of
# the instructions, read off KernelBench's fit rows (3 x 3 in fp32 on H100).
UNROLLED_TAPS = (1, 9, 25)
UNROLLED_SHARE = 0.7


def instructions(direction: str, read: int, written: int, taps: int) -> float:
    """Of all threads; the weights' gradient reads both tensors."""
    counts = COUNTS[direction]
    met = min(read, written) * counts.met * taps
    return written * (counts.element + counts.tried * taps) + met
