"""What is said of memory."""

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from rich.markup import escape

from maya.report.quantities import size

Memory = Mapping[str, Any]
Row = tuple[str, str]
_HOLDERS, _LINES = 5, 3


def memory_rows(memory: Memory, lines: int = _LINES) -> list[Row]:
    """Label and text of each line."""
    held = memory["peak"]["categories"]
    failure = memory.get("failure")
    rows = [("memory", _misfit(memory) if memory["oom"] else _fit(memory))]
    if failure:
        held = failure["held"]["categories"]
        rows.append(("  failed", _failure(failure)))
    elif memory.get("reason"):
        rows.append(("  failed", escape(memory["reason"])))
    names = [f"{size(part)} {escape(name)}" for name, part in held.items() if part]
    rows.append(("  held by", ", ".join(names[:_HOLDERS])))
    places = failure["held"]["lines"] if failure else memory["peak"]["lines"]
    for index, place in enumerate(places[:lines]):
        label = "  allocated at" if not index else ""
        rows.append((label, f"{size(place['bytes'])} {escape(short_line(place['line']))}"))
    return rows


def _fit(memory: Memory) -> str:
    phase = memory["peak"]["phase"]
    tensors = f", {size(memory['peak_allocated_bytes'])} of it tensors at the peak" if phase else ""
    when = f" ({escape(phase)})" if phase else ""
    return (
        f"{size(memory['peak_reserved_bytes'])} reserved{tensors}{when} of "
        f"{size(memory['capacity_bytes'])} a GPU; {_room(memory)}"
    )


def _room(memory: Memory) -> str:
    room = memory["head_room_bytes"]
    if room < 0:
        return "[yellow]fits only because cached memory can be given back[/]"
    return f"{size(room)} head-room"


def _misfit(memory: Memory) -> str:
    missing = memory["missing_bytes"]
    lacking = f", {size(missing)} missing" if missing else ""
    return (
        f"[bold red]does not fit[/]: rank {memory['rank']} holds "
        f"{size(memory['peak_reserved_bytes'])} of {size(memory['capacity_bytes'])}"
        f" ({size(memory['context_bytes'])} are the context's){lacking}"
    )


def _failure(failure: Mapping[str, Any]) -> str:
    return (
        f"{size(failure['asked_bytes'])} asked for with {size(failure['free_bytes'])} free, "
        f"{escape(failure['phase'])}, at {escape(short_line(failure['line']))}"
    )


def short_line(line: str) -> str:
    """`/a/b/c/train.py:7 (f)` as `c/train.py:7 (f)`."""
    path, _, rest = line.partition(":")
    return "/".join(PurePath(path).parts[-2:]) + (f":{rest}" if rest else "")
