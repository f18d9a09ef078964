"""The memory of a run for its summary; also of one that ended because it had none left."""

from collections.abc import Sequence

from maya.analyze.allocator import Allocator, Held, Line
from maya.analyze.memory import RankMemory, ended_out_of_memory
from maya.hardware import Gpu
from maya.summary.memory import (
    AllocatingLine,
    FailedAllocation,
    HeldMemory,
    MemoryFigures,
    MemoryPeak,
    RankPeak,
)
from maya.trace import Run, summarize

_LINES = 8


def memory_figures(
    ranks: Sequence[RankMemory], gpu: Gpu, *, failed: bool = False, reason: str | None = None
) -> MemoryFigures:
    """The fullest GPU, and every rank's peak; `failed`: the script could not go on."""
    fullest = max(ranks, key=lambda rank: (rank.missing_bytes(gpu), rank.peak_reserved_bytes))
    missing = fullest.missing_bytes(gpu) if failed or _misfit(ranks, gpu) else 0
    return MemoryFigures(
        peak_allocated_bytes=fullest.peak_allocated_bytes,
        peak_reserved_bytes=fullest.peak_reserved_bytes,
        capacity_bytes=gpu.total_memory_bytes,
        context_bytes=gpu.context_bytes,
        library_bytes=fullest.holders.get("library", 0),
        head_room_bytes=gpu.usable_memory_bytes - fullest.peak_reserved_bytes,
        oom=failed or missing > 0,
        missing_bytes=missing,
        rank=fullest.rank,
        peak=_peak(fullest),
        failure=_failure(fullest) if failed else None,
        per_rank=tuple(map(_rank_peak, ranks)),
        reason=reason,
    )


def _misfit(ranks: Sequence[RankMemory], gpu: Gpu) -> bool:
    return any(rank.needed_bytes > gpu.usable_memory_bytes for rank in ranks)


def _peak(rank: RankMemory) -> MemoryPeak:
    known = rank.allocator
    held = _held(known)
    return MemoryPeak(
        at_ms=rank.peak_at_ms,
        phase=known.peak_phase if known else None,
        categories=known.categories_at_peak() if known else dict(rank.holders),
        lines=_lines(held.lines[:_LINES]) if held else (),
        lines_at=f"{held.moment}, step {held.step}" if held and held.moment else None,
        cached_bytes=_cached(rank),
    )


def _held(known: Allocator | None) -> Held | None:
    if known is None:
        return None
    return known.fullest or (known.out_of_memory.held if known.out_of_memory else None)


def _lines(told: Sequence[Line]) -> tuple[AllocatingLine, ...]:
    return tuple(AllocatingLine(line.line, line.bytes) for line in told)


def _cached(rank: RankMemory) -> int | None:
    """Reserved by the allocator beyond what tensors ever needed at once."""
    if rank.allocator is None:
        return None
    return max(0, rank.allocator.peak_reserved_bytes - rank.allocator.peak_allocated_bytes)


def _failure(rank: RankMemory) -> FailedAllocation | None:
    told = rank.allocator.out_of_memory if rank.allocator else None
    if told is None:
        return None
    held = told.held
    return FailedAllocation(
        asked_bytes=told.asked_bytes,
        free_bytes=told.free_bytes,
        allocated_bytes=told.allocated_bytes,
        reserved_bytes=told.reserved_bytes,
        line=told.line,
        phase=told.phase,
        held=HeldMemory(
            held.bytes, dict(held.categories), _lines(held.lines), held.moment, held.step
        ),
    )


def _rank_peak(rank: RankMemory) -> RankPeak:
    return RankPeak(
        rank=rank.rank,
        peak_allocated_bytes=rank.peak_allocated_bytes,
        peak_reserved_bytes=rank.peak_reserved_bytes,
        peak_at_ms=rank.peak_at_ms,
        holders=rank.holders,
        phase=rank.allocator.peak_phase if rank.allocator else None,
    )


def script_ran_out_of_memory(run: Run) -> bool:
    """Whether the script itself failed because an allocation did."""
    failed = run.facts is not None and run.facts.script_failed
    return failed and any(ended_out_of_memory(capture) for capture in run.captures)


def driver_failure(run: Run) -> str | None:
    """What the driver said of the last allocation that failed."""
    said = [text for text in summarize(run.captures).info if text.startswith("out of memory")]
    return said[-1] if said else None
