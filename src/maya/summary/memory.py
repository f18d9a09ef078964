"""What a summary says of memory."""

from dataclasses import dataclass

from maya.typed_numbers import Bytes, Milliseconds, SignedBytes

_PHASES = {
    "forward": "in the forward pass",
    "backward": "in the backward pass",
    "optimizer": "in the optimizer step",
    "before the first backward": "before the first backward pass",
    "later": "after the first steps",  # which are watched closely
}


def when(phase: str) -> str:
    """A phase of a step for people."""
    return _PHASES.get(phase, phase)


@dataclass(frozen=True, slots=True)
class AllocatingLine:
    """A line of the program and what it allocated."""

    line: str
    bytes: Bytes


@dataclass(frozen=True, slots=True)
class HeldMemory:
    """Live tensors at a moment, by category and by line."""

    bytes: Bytes
    categories: dict[str, SignedBytes]
    lines: tuple[AllocatingLine, ...]
    moment: str
    step: int


@dataclass(frozen=True, slots=True)
class FailedAllocation:
    """The allocation that ended the script."""

    asked_bytes: Bytes
    free_bytes: Bytes
    allocated_bytes: Bytes
    reserved_bytes: Bytes
    line: str
    phase: str
    held: HeldMemory


@dataclass(frozen=True, slots=True)
class MemoryPeak:
    """When it was and who held it, as far as PyTorch told."""

    at_ms: Milliseconds
    phase: str | None
    categories: dict[str, SignedBytes]
    lines: tuple[AllocatingLine, ...]
    lines_at: str | None
    cached_bytes: Bytes | None  # reserved beyond what tensors ever needed at once


@dataclass(frozen=True, slots=True)
class RankPeak:
    """The fullest device of one process."""

    rank: int
    peak_allocated_bytes: SignedBytes
    peak_reserved_bytes: SignedBytes
    peak_at_ms: Milliseconds
    holders: dict[str, SignedBytes]  # kind of memory -> bytes at the driver's peak
    phase: str | None


@dataclass(frozen=True, slots=True)
class MemoryFigures:
    """The fullest GPU of the job, and every rank's peak."""

    peak_allocated_bytes: SignedBytes
    peak_reserved_bytes: SignedBytes
    capacity_bytes: Bytes
    context_bytes: Bytes
    library_bytes: SignedBytes
    head_room_bytes: SignedBytes
    oom: bool
    missing_bytes: Bytes
    rank: int
    peak: MemoryPeak
    failure: FailedAllocation | None
    per_rank: tuple[RankPeak, ...]
    reason: str | None = None  # what the driver said of the allocation that failed

    @property
    def held(self) -> HeldMemory | MemoryPeak:
        """By whom it is held: when an allocation failed, else at the peak."""
        return self.failure.held if self.failure else self.peak
