"""Operations and bytes, and the time a device takes for them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from maya.estimate.parameters import TYPICAL, DeviceParameters, device_parameters
from maya.estimate.power import busy_clock_mhz
from maya.estimate.types import Estimate, Source
from maya.hardware import Gpu
from maya.units import NS_PER_S

# Memory, instructions and waiting overlap, but not wholly: the total is a smooth maximum.
_SMOOTH = 4


@dataclass(frozen=True, slots=True)
class KernelRows:
    """Rows of a kernel that reduces each in a block of its own; numbers, or arrays of them."""

    count: Any
    bytes: Any  # a row, in what is read again
    threads: int  # a block
    again: Any  # how often a row is read again
    trips: Any = 0.0  # to memory, one after the other, in all walks of a row
    resident: int = 0  # blocks an SM holds; 0: as many as their threads allow


@dataclass(frozen=True, slots=True)
class Cost:
    """What a kernel asks of the device beside matrix products."""

    bytes: float
    operations: float = 0.0  # scalar operations, for kernels that compute more than they move
    serial_ns: float = 0.0  # latency that no parallelism hides: dependent passes, atomics
    occupancy: float = 1.0  # share of the device that the launch can fill
    kind: str = ""  # class of kernels with a fitted slowdown
    issued: float = 0.0  # instructions of all threads, where index arithmetic outweighs the rest
    rows: KernelRows | None = None
    guessed: bool = False  # the arguments were not understood: bounded by the launch alone


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
    size: Any, rows: KernelRows, device: Gpu, fitted: DeviceParameters, slowdown: Any = 1.0
) -> Any:
    """Kernels that walk a row more than once, a block a row.

    Later walks find the row in L2 if the rows in flight fit there. Each block starts, waits for
    memory trip by trip and reduces what its threads found: few long rows, and many short ones,
    wait for that instead of for the bandwidth.
    """
    resident = rows.resident or max(1, device.max_threads_per_sm // rows.threads)
    slots = resident * device.sm_count
    in_flight = np.minimum(rows.count, slots) * rows.bytes
    misses = cache_misses(in_flight, device, fitted)
    again = rows.again * rows.count * rows.bytes * misses
    streamed = slowdown * stream_ns(size + again, device, fitted)
    waves = np.ceil(rows.count / slots)
    waiting = waves * (fitted.block_ns + rows.trips * fitted.trip_ns)
    return smooth_maximum(streamed, waiting)


def cache_misses(footprint: Any, device: Gpu, fitted: DeviceParameters) -> Any:
    """Share of later readings that do not find their data in L2 any more."""
    return 1 - 1 / (1 + (footprint / (fitted.cached_share * device.l2_bytes)) ** 4)


def smooth_maximum(*times: Any) -> Any:
    """Of times that overlap."""
    return sum(time**_SMOOTH for time in times) ** (1 / _SMOOTH)


def issue_ns(instructions: float, device: Gpu, a_cycle: float = TYPICAL.issued_a_cycle) -> float:
    """Time to issue them: schedulers are the same on all these GPUs, arithmetic units are not."""
    return instructions / (a_cycle * device.sm_count) / busy_clock_mhz(device) * 1e3


def floor_ns(device: Gpu) -> float:
    """The duration of an empty kernel as a profiler shows it."""
    return device_parameters(device).floor_ns


def busy_ns(cost: Cost, device: Gpu, fitted: DeviceParameters) -> float:
    """Duration beyond that of an empty kernel; calibration fits what estimation uses."""
    arithmetic_ns = cost.operations / device.flops_per_s["fp32"] * NS_PER_S
    slowdown = fitted.slowdown(cost.kind)
    if cost.rows:
        moving_ns = float(row_wise_ns(cost.bytes, cost.rows, device, fitted, slowdown))
    else:
        moving_ns = float(stream_ns(cost.bytes, device, fitted)) * slowdown / cost.occupancy
    issuing_ns = (
        arithmetic_ns + issue_ns(cost.issued, device, fitted.issued_a_cycle)
    ) / cost.occupancy
    return float(smooth_maximum(moving_ns, issuing_ns)) + cost.serial_ns


def estimate_cost(
    cost: Cost, device: Gpu, uncertainty: float, source: Source = Source.ANALYTICAL
) -> Estimate:
    """A kernel that is bound by memory or, rarely, by its scalar arithmetic."""
    total_ns = floor_ns(device) + busy_ns(cost, device, device_parameters(device))
    return Estimate(max(1, round(total_ns)), source, uncertainty, bytes=cost.bytes)
