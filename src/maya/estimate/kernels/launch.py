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


def blocks_per_sm(work: Definition, threads: int, device: Gpu) -> int:
    """Blocks that fit an SM by threads, registers and shared memory."""
    warps = -(-threads // 32)
    most = min(device.max_blocks_per_sm, device.max_threads_per_sm // (warps * 32))
    registers = work.number("registers")
    if registers > 0:
        per_warp = -(-registers * 32 // 256) * 256
        most = min(most, device.registers_per_sm // (per_warp * warps))
    shared = work.number("shared_bytes") + work.number("static_shared")
    if shared > 0:
        most = min(most, device.shared_bytes_per_sm // (shared + 1024))
    return max(1, most)


def _product(work: Definition, prefix: str) -> int:
    product = 1
    for axis in "xyz":
        product *= max(1, work.number(f"{prefix}_{axis}", 1))
    return product
