"""Copies and fills."""

from maya.estimate.cost import floor_ns, memory_ns
from maya.estimate.types import Estimate, Source
from maya.hardware import Gpu
from maya.trace import Definition
from maya.trace.format import Kind
from maya.units import NS_PER_S

_LANES = 16
# GB/s a lane after encoding; what a copy engine reaches of 16 lanes: 12.3 of 15.75 GB/s on
# generation 3, 25 of 31.5 on 4, 53 of 63 on 5 (CUDA samples' bandwidthTest, pinned memory).
_LANE_BYTES_PER_S = {3: 0.985e9, 4: 1.97e9, 5: 3.94e9, 6: 7.56e9}
_PCIE_EFFICIENCY = 0.8
_PCIE_LATENCY_NS = 1500.0
# Pageable memory goes through the driver's staging buffer, at the pace of one CPU thread.
_PAGEABLE_BYTES_PER_S = 6.0e9
_PAGEABLE_LATENCY_NS = 4000.0
_NVLINK_BYTES_PER_S = 25.0e9  # a link and direction
_NVLINK_EFFICIENCY = 0.8


class TransferEstimator:
    """memcpy and memset by size, direction and path."""

    def estimate(self, work: Definition, device: Gpu) -> Estimate | None:
        """The engine's time; the host's own cost is the simulator's business."""
        size = max(0, work.number("bytes"))
        if work.kind == Kind.MEMSET:
            duration = floor_ns(device) * 0.75 + memory_ns(size, device)
            return Estimate(max(1, round(duration)), Source.ANALYTICAL, 0.15, bytes=size)
        if work.kind == Kind.COPY:
            moved, duration = _copy(work, size, device)
            return Estimate(max(1, round(duration)), Source.ANALYTICAL, 0.2, bytes=moved)
        return None


def _copy(work: Definition, size: int, device: Gpu) -> tuple[float, float]:
    direction = work.number("direction")
    if direction == 3:
        return 2.0 * size, floor_ns(device) * 0.75 + memory_ns(2 * size, device)
    if direction == 4 and device.nvlinks:
        links = device.nvlinks * _NVLINK_BYTES_PER_S * _NVLINK_EFFICIENCY
        return float(size), floor_ns(device) + size / links * NS_PER_S
    bandwidth = pcie_bytes_per_s(device)
    latency_ns = _PCIE_LATENCY_NS
    if work.number("pageable"):
        bandwidth = min(bandwidth, _PAGEABLE_BYTES_PER_S)
        latency_ns += _PAGEABLE_LATENCY_NS
    return float(size), latency_ns + size / bandwidth * NS_PER_S


def pcie_bytes_per_s(device: Gpu) -> float:
    """What a pinned copy reaches over 16 lanes."""
    lane = _LANE_BYTES_PER_S.get(device.pcie_generation, _LANE_BYTES_PER_S[5])
    return lane * _LANES * _PCIE_EFFICIENCY
