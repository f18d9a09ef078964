"""Operations and bytes, and the time a device takes for them."""

from dataclasses import dataclass

from maya.estimate.parameters import device_parameters
from maya.estimate.types import Estimate, Source
from maya.hardware import Gpu
from maya.units import NS_PER_S


@dataclass(frozen=True, slots=True)
class Cost:
    """What a kernel asks of the device beside matrix products."""

    bytes: float
    operations: float = 0.0  # scalar operations, for kernels that compute more than they move
    serial_ns: float = 0.0  # latency that no parallelism hides: dependent passes, atomics
    occupancy: float = 1.0  # share of the device that the launch can fill


def memory_ns(size: float, device: Gpu, occupancy: float = 1.0) -> float:
    """Time to move bytes, from L2 as far as they fit and from memory beyond."""
    fitted = device_parameters(device)
    bandwidth = device.memory_bandwidth_bytes_per_s * fitted.memory_efficiency
    cached = min(size, fitted.cached_share * device.l2_bytes)
    seconds = (size - cached) / bandwidth + cached / (bandwidth * fitted.cache_speedup)
    return seconds * NS_PER_S / max(occupancy, 1e-6)


def floor_ns(device: Gpu) -> float:
    """The duration of an empty kernel as a profiler shows it."""
    return device_parameters(device).floor_ns


def estimate_cost(
    cost: Cost, device: Gpu, uncertainty: float, source: Source = Source.ANALYTICAL
) -> Estimate:
    """A kernel that is bound by memory or, rarely, by its scalar arithmetic."""
    arithmetic_ns = cost.operations / device.flops_per_s["fp32"] * NS_PER_S
    busy_ns = max(memory_ns(cost.bytes, device, cost.occupancy), arithmetic_ns / cost.occupancy)
    total_ns = floor_ns(device) + busy_ns + cost.serial_ns
    return Estimate(max(1, round(total_ns)), source, uncertainty, bytes=cost.bytes)
