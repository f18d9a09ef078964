"""The memory of a run as plain data; also of one that ended because it had none left."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from maya.analyze.allocator import Allocator, Failure, Held
from maya.analyze.memory import RankMemory, ended_out_of_memory
from maya.hardware import Gpu
from maya.trace import Run, summarize

_LINES = 8


def memory_summary(
    ranks: Sequence[RankMemory], gpu: Gpu, *, failed: bool = False
) -> dict[str, Any]:
    """The fullest GPU, and every rank's peak; `failed`: the script could not go on."""
    fullest = max(ranks, key=lambda rank: (rank.missing_bytes(gpu), rank.peak_reserved_bytes))
    missing = fullest.missing_bytes(gpu) if failed or _misfit(ranks, gpu) else 0
    library = sum(size for what, size in fullest.holders.items() if what == "library")
    return {
        "peak_allocated_bytes": fullest.peak_allocated_bytes,
        "peak_reserved_bytes": fullest.peak_reserved_bytes,
        "capacity_bytes": gpu.total_memory_bytes,
        "context_bytes": gpu.context_bytes,
        "library_bytes": library,
        "head_room_bytes": gpu.usable_memory_bytes - fullest.peak_reserved_bytes,
        "oom": failed or missing > 0,
        "missing_bytes": missing,
        "rank": fullest.rank,
        "peak": _peak(fullest),
        "failure": _failure(fullest) if failed else None,
        "per_rank": [_rank(rank) for rank in ranks],
    }


def _misfit(ranks: Sequence[RankMemory], gpu: Gpu) -> bool:
    return any(rank.needed_bytes > gpu.usable_memory_bytes for rank in ranks)


def _peak(rank: RankMemory) -> dict[str, Any]:
    """When it was and who held it: by category and by line, as far as PyTorch told."""
    known = rank.allocator
    held = _held(known)
    return {
        "at_ms": rank.peak_at_ms,
        "phase": known.peak_phase if known else None,
        "categories": known.categories_at_peak() if known else dict(rank.holders),
        "lines": [line.model_dump() for line in held.lines[:_LINES]] if held else [],
        "lines_at": f"{held.moment}, step {held.step}" if held and held.moment else None,
        "cached_bytes": _cached(rank),
    }


def _held(known: Allocator | None) -> Held | None:
    if known is None:
        return None
    return known.fullest or (known.out_of_memory.held if known.out_of_memory else None)


def _cached(rank: RankMemory) -> int | None:
    """Reserved by the allocator beyond what tensors ever needed at once."""
    if rank.allocator is None:
        return None
    return max(0, rank.allocator.peak_reserved_bytes - rank.allocator.peak_allocated_bytes)


def _failure(rank: RankMemory) -> dict[str, Any] | None:
    failure: Failure | None = rank.allocator.out_of_memory if rank.allocator else None
    return None if failure is None else failure.model_dump()


def _rank(rank: RankMemory) -> dict[str, Any]:
    plain = asdict(replace(rank, allocator=None))
    plain.pop("allocator")
    plain["phase"] = rank.allocator.peak_phase if rank.allocator else None
    return plain


def script_ran_out_of_memory(run: Run) -> bool:
    """Whether the script itself failed because an allocation did."""
    failed = run.facts is not None and run.facts.script_failed
    return failed and any(ended_out_of_memory(capture) for capture in run.captures)


def driver_failure(run: Run) -> str | None:
    """What the driver said of the last allocation that failed."""
    said = [text for text in summarize(run.captures).info if text.startswith("out of memory")]
    return said[-1] if said else None
