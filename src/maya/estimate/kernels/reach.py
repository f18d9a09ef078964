"""The most that a launch can move: sizes read from its arguments that ask for more were misread."""

from maya.hardware import Gpu
from maya.trace import Definition
from maya.trace.format import REACH

# A kernel goes over its operands a few times at most; five is what the table's families come to.
_MOST_PASSES = 8
_LEAST_BYTES = 1 << 20  # a misread below costs no time worth telling


def most_bytes(work: Definition, device: Gpu) -> float:
    """All that lies behind the launch's addresses, over and over; else all of the device.

    Captures before version 3 do not tell what lies there. Some families move more: a small table
    is read again and again, addresses stand in descriptors or in device memory.
    """
    whole = device.total_memory_bytes
    reach = 0 if work.family.has("moves_more") else work.number(REACH)
    return float(_MOST_PASSES * (min(whole, max(reach, _LEAST_BYTES)) if reach else whole))
