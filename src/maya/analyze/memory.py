"""Device memory over the run: what reached the driver, and what PyTorch made of it."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from maya.analyze.allocator import Allocator, read_allocator
from maya.hardware import Gpu
from maya.trace import Capture
from maya.trace.format import Kind

_DEVICE = ("device", "async", "vmm", "managed", "library")
_PAGE, _SMALL = 2 << 20, 1 << 20  # small allocations share pages


@dataclass(frozen=True, slots=True)
class RankMemory:
    """The fullest device of one process."""

    rank: int
    peak_allocated_bytes: int  # of tensors where PyTorch told it, else as asked of the driver
    peak_reserved_bytes: int  # in the driver's pages
    peak_at_ms: float  # of the reserved peak, since the capture's start, in the emulator's time
    holders: dict[str, int]  # kind of memory -> bytes at the driver's peak
    allocator: Allocator | None = None

    @property
    def needed_bytes(self) -> int:
        """What the GPU must have: cached blocks can be given back, live tensors cannot."""
        if self.allocator is None:
            return self.peak_reserved_bytes
        cached = self.allocator.peak_reserved_bytes - self.allocator.peak_allocated_bytes
        return max(self.peak_allocated_bytes, self.peak_reserved_bytes - max(0, cached))

    def missing_bytes(self, gpu: Gpu) -> int:
        """How much more than the GPU has; 0 if it fits."""
        failure = self.allocator.out_of_memory if self.allocator else None
        lacking = failure.missing_bytes if failure else 0
        return max(lacking, self.needed_bytes - gpu.usable_memory_bytes, 0)


def memory_of(capture: Capture, rank: int) -> RankMemory:
    """The peak of the device that was used most."""
    driver = _driver_peak(capture, rank)
    allocator = read_allocator(capture.path)
    if allocator is None:
        return driver
    unused = max(0, allocator.pool_bytes - allocator.peak_reserved_bytes)
    return replace(
        driver,
        peak_allocated_bytes=allocator.peak_allocated_bytes,
        peak_reserved_bytes=max(0, driver.peak_reserved_bytes - unused),
        allocator=allocator,
    )


def _driver_peak(capture: Capture, rank: int) -> RankMemory:
    kinds = {
        d.id: (1 if d.kind == Kind.ALLOC else -1, d.text("what"), d.number("device"))
        for d in capture.definitions()
        if d.kind in (Kind.ALLOC, Kind.FREE) and d.text("what") in _DEVICE
    }
    events = capture.events
    events = events[np.isin(events["def"], list(kinds))]
    facts = [kinds[number] for number in events["def"].tolist()]
    found = [
        _peak(events[mask], [f for f, m in zip(facts, mask, strict=True) if m], rank)
        for device in sorted({fact[2] for fact in facts})
        if (mask := np.array([fact[2] == device for fact in facts])).any()
    ]
    return max(found, key=lambda m: m.peak_reserved_bytes, default=RankMemory(rank, 0, 0, 0.0, {}))


def _peak(events: npt.NDArray[np.void], facts: list[tuple[int, str, int]], rank: int) -> RankMemory:
    sign = np.array([fact[0] for fact in facts], np.int64)
    size = np.minimum(events["b"], np.uint64(1 << 47)).astype(np.int64) * sign
    small = events["b"] < _SMALL
    pages = -(-np.cumsum(np.where(small, size, 0)) // _PAGE) * _PAGE
    whole = np.cumsum(np.where(small, 0, sign * (-(-np.abs(size) // _PAGE) * _PAGE)))
    reserved = pages + whole
    top = int(np.argmax(reserved))
    holders: dict[str, int] = {}
    for fact, change in zip(facts[: top + 1], size[: top + 1].tolist(), strict=True):
        holders[fact[1]] = holders.get(fact[1], 0) + change
    return RankMemory(
        rank=rank,
        peak_allocated_bytes=int(np.cumsum(size).max()),
        peak_reserved_bytes=int(reserved[top]),
        peak_at_ms=float(events["start_ns"][top]) / 1e6,
        holders={what: held for what, held in holders.items() if held},
    )


def ended_out_of_memory(capture: Capture) -> bool:
    """Whether an allocation failed and no work came after it."""
    failed = [
        d.id
        for d in capture.definitions()
        if d.kind == Kind.INFO and d.text("text").startswith("out of memory")
    ]
    work = [d.id for d in capture.definitions() if d.kind in (Kind.KERNEL, Kind.LIBRARY)]
    at = np.flatnonzero(np.isin(capture.events["def"], failed))
    last = np.flatnonzero(np.isin(capture.events["def"], work))
    return bool(len(at)) and (not len(last) or int(at[-1]) > int(last[-1]))
