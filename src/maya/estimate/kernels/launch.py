"""Launch geometry, and how much of the device it can fill."""

from maya.hardware import Gpu
from maya.trace import Definition


def blocks(work: Definition) -> int:
    """Thread blocks of a launch."""
    return _product(work, "grid")


def threads_per_block(work: Definition) -> int:
    """Threads of one block."""
    return _product(work, "block")


def occupancy(work: Definition, device: Gpu, threads_to_saturate: int = 512) -> float:
    """Share of the memory system that the launch can keep busy.

    About 512 threads with a few loads in flight saturate one SM's share of the bandwidth
    (Little's law: 600 ns x 25 GB/s per SM is 15 KB in flight).
    """
    resident = max(1, device.max_threads_per_sm // max(1, threads_per_block(work)))
    busy_sms = min(blocks(work), device.sm_count)
    per_sm = min(resident, -(-blocks(work) // device.sm_count)) * threads_per_block(work)
    return busy_sms / device.sm_count * min(1.0, per_sm / threads_to_saturate)


def _product(work: Definition, prefix: str) -> int:
    product = 1
    for axis in "xyz":
        product *= max(1, work.number(f"{prefix}_{axis}", 1))
    return product
