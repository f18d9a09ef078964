"""What is said of memory."""

from pathlib import PurePath

from rich.markup import escape

from maya.report.quantities import size
from maya.summary.memory import FailedAllocation, MemoryFigures

Row = tuple[str, str]
_HOLDERS, _LINES = 5, 3


def memory_rows(memory: MemoryFigures, lines: int = _LINES) -> list[Row]:
    """Label and text of each line."""
    rows = [("memory", _misfit(memory) if memory.oom else _fit(memory))]
    if memory.failure:
        rows.append(("  failed", _failure(memory.failure)))
    elif memory.reason:
        rows.append(("  failed", escape(memory.reason)))
    held = memory.held
    names = [f"{size(part)} {escape(name)}" for name, part in held.categories.items() if part]
    rows.append(("  held by", ", ".join(names[:_HOLDERS])))
    for index, place in enumerate(held.lines[:lines]):
        label = "  allocated at" if not index else ""
        rows.append((label, f"{size(place.bytes)} {escape(short_line(place.line))}"))
    return rows


def _fit(memory: MemoryFigures) -> str:
    phase = memory.peak.phase
    tensors = f", {size(memory.peak_allocated_bytes)} of it tensors at the peak" if phase else ""
    when = f" ({escape(phase)})" if phase else ""
    return (
        f"{size(memory.peak_reserved_bytes)} reserved{tensors}{when} of "
        f"{size(memory.capacity_bytes)} a GPU; {_room(memory)}"
    )


def _room(memory: MemoryFigures) -> str:
    if memory.head_room_bytes < 0:
        return "[yellow]fits only because cached memory can be given back[/]"
    return f"{size(memory.head_room_bytes)} head-room"


def _misfit(memory: MemoryFigures) -> str:
    lacking = f", {size(memory.missing_bytes)} missing" if memory.missing_bytes else ""
    return (
        f"[bold red]does not fit[/]: rank {memory.rank} holds "
        f"{size(memory.peak_reserved_bytes)} of {size(memory.capacity_bytes)}"
        f" ({size(memory.context_bytes)} are the context's){lacking}"
    )


def _failure(failure: FailedAllocation) -> str:
    return (
        f"{size(failure.asked_bytes)} asked for with {size(failure.free_bytes)} free, "
        f"{escape(failure.phase)}, at {escape(short_line(failure.line))}"
    )


def short_line(line: str) -> str:
    """`/a/b/c/train.py:7 (f)` as `c/train.py:7 (f)`."""
    path, _, rest = line.partition(":")
    return "/".join(PurePath(path).parts[-2:]) + (f":{rest}" if rest else "")
