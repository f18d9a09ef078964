"""Operations and bytes, and the time a device takes for them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from maya.estimate.parameters import DeviceParameters, device_parameters
from maya.estimate.types import Estimate, Source
from maya.hardware import Gpu
from maya.units import NS_PER_S

# Instructions of threads that an SM gets through in a cycle where loads, integer arithmetic and
# branches alternate: half of what its four schedulers could issue. Assumed.
_ISSUED_A_CYCLE = 64.0


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a kernel that reduces each in a block of its own; numbers, or arrays of them."""

    count: Any
    bytes: Any  # a row, in what is read again
    threads: int  # a block
    again: float  # how often a row is read again


@dataclass(frozen=True, slots=True)
class Cost:
    """What a kernel asks of the device beside matrix products."""

    bytes: float
    operations: float = 0.0  # scalar operations, for kernels that compute more than they move
    serial_ns: float = 0.0  # latency that no parallelism hides: dependent passes, atomics
    occupancy: float = 1.0  # share of the device that the launch can fill
    kind: str = ""  # class of kernels with a fitted slowdown
    issued: float = 0.0  # instructions of all threads, where index arithmetic outweighs the rest
    rows: Rows | None = None


def memory_ns(size: float, device: Gpu, occupancy: float = 1.0) -> float:
    """Time to move bytes, from L2 as far as they are still there and from memory beyond."""
    fitted = device_parameters(device)
    streamed = stream_ns(size, device, fitted)
    return float(streamed / max(occupancy, 1e-6))


def stream_ns(size: Any, device: Gpu, fitted: DeviceParameters) -> Any:
    """The same for numbers and arrays: calibration fits what estimation uses.

    Training finds in L2 what the kernel before has left there; of a footprint beyond L2 nothing
    is left, since the oldest lines go first.
    """
    bandwidth = device.memory_bandwidth_bytes_per_s * fitted.memory_efficiency
    crowding = size / (fitted.cached_share * device.l2_bytes)
    hits = 1 / (1 + crowding**4)
    return size / bandwidth * (1 - hits + hits / fitted.cache_speedup) * NS_PER_S


def row_wise_ns(
    size: Any, rows: Rows, device: Gpu, fitted: DeviceParameters, slowdown: Any = 1.0
) -> Any:
    """Kernels that walk a row more than once, a block a row.

    Later walks find the row in L2 if the rows in flight fit there; short rows keep an SM waiting
    for reductions instead of for memory.
    """
    per_sm = np.maximum(1, device.max_threads_per_sm // rows.threads)
    in_flight = np.minimum(rows.count, per_sm * device.sm_count) * rows.bytes
    misses = 1 - 1 / (1 + (in_flight / (fitted.cached_share * device.l2_bytes)) ** 4)
    again = rows.again * rows.count * rows.bytes * misses
    streamed = slowdown * stream_ns(size + again, device, fitted)
    waiting = rows.count * fitted.row_ns / device.sm_count
    return (streamed**4 + waiting**4) ** 0.25


def issue_ns(instructions: float, device: Gpu) -> float:
    """Time to issue them: schedulers are the same on all these GPUs, arithmetic units are not."""
    cycles = instructions / (_ISSUED_A_CYCLE * device.sm_count)
    return cycles / device.clock_mhz * 1e3


def floor_ns(device: Gpu) -> float:
    """The duration of an empty kernel as a profiler shows it."""
    return device_parameters(device).floor_ns


def estimate_cost(
    cost: Cost, device: Gpu, uncertainty: float, source: Source = Source.ANALYTICAL
) -> Estimate:
    """A kernel that is bound by memory or, rarely, by its scalar arithmetic."""
    arithmetic_ns = cost.operations / device.flops_per_s["fp32"] * NS_PER_S
    fitted = device_parameters(device)
    slowdown = fitted.slowdown(cost.kind) / cost.occupancy
    if cost.rows:
        moving_ns = float(row_wise_ns(cost.bytes, cost.rows, device, fitted, slowdown))
    else:
        moving_ns = float(stream_ns(cost.bytes, device, fitted)) * slowdown
    busy_ns = max(moving_ns, (arithmetic_ns + issue_ns(cost.issued, device)) / cost.occupancy)
    total_ns = floor_ns(device) + busy_ns + cost.serial_ns
    return Estimate(max(1, round(total_ns)), source, uncertainty, bytes=cost.bytes)
