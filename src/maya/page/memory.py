"""Memory for the page: who holds it at the peak, and every rank's peak."""

from typing import Any

from maya.summary import Summary
from maya.summary.memory import when


def memory_data(summary: Summary) -> dict[str, Any]:
    """Bytes; categories and lines are those of the fullest GPU."""
    memory, held = summary.memory, summary.memory.held
    phase = memory.failure.phase if memory.failure else memory.peak.phase
    return {
        "capacity": memory.capacity_bytes,
        "reserved": memory.peak_reserved_bytes,
        "allocated": memory.peak_allocated_bytes,
        "context": memory.context_bytes,
        "library": memory.library_bytes,
        "missing": memory.missing_bytes,
        "oom": memory.oom,
        "rank": memory.rank,
        "when": when(phase) if phase else None,
        "categories": list(held.categories.items()),
        "lines": [(line.line, line.bytes) for line in held.lines],
        "asked": memory.failure.asked_bytes if memory.failure else None,
        "failed_at": memory.failure.line if memory.failure else None,
        "reason": memory.reason,
        "ranks": [(rank.rank, rank.peak_reserved_bytes) for rank in memory.per_rank],
    }
