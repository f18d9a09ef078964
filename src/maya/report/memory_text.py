"""What is said of memory."""

from pathlib import PurePath

from rich.markup import escape

from maya.report.quantities import of_capacity, short_size, size
from maya.summary.memory import FailedAllocation, MemoryFigures, when

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
    used = of_capacity(memory.peak_reserved_bytes, memory.capacity_bytes)
    return f"{used} ({_room(memory)}){_at_peak(memory)}"


def _room(memory: MemoryFigures) -> str:
    if memory.head_room_bytes < 0:
        return "[yellow]fits only because PyTorch can give cached memory back[/]"
    return f"[green]fits[/], {short_size(memory.head_room_bytes)} free"


def _at_peak(memory: MemoryFigures) -> str:
    """Nothing where PyTorch did not say."""
    if not memory.peak.phase:
        return ""
    tensors = f"{short_size(memory.peak_allocated_bytes)} tensors"
    cached = memory.peak.cached_bytes
    rest = f", {short_size(cached)} cached" if cached else ""
    return f". Peak {escape(when(memory.peak.phase))}: {tensors}{rest}."


def _misfit(memory: MemoryFigures) -> str:
    lacking = f", {size(memory.missing_bytes)} missing" if memory.missing_bytes else ""
    used = of_capacity(memory.peak_reserved_bytes, memory.capacity_bytes)
    return (
        f"[bold red]does not fit[/]{lacking}: rank {memory.rank} holds {used} "
        f"({size(memory.context_bytes)} more are the CUDA context's)"
    )


def _failure(failure: FailedAllocation) -> str:
    return (
        f"{size(failure.asked_bytes)} asked for with {size(failure.free_bytes)} free, "
        f"{escape(when(failure.phase))}, at {escape(short_line(failure.line))}"
    )


def short_line(line: str) -> str:
    """`/a/b/c/train.py:7 (f)` as `c/train.py:7 (f)`."""
    path, _, rest = line.partition(":")
    return "/".join(PurePath(path).parts[-2:]) + (f":{rest}" if rest else "")
