"""Memory over one step: what the allocator handed out and took back, by line of the program."""

from collections import Counter
from typing import Any

from maya_inside import memory_holders
from maya_inside.memory_stacks import ByStack

MOST_ENTRIES = 400_000  # of the allocator's history: a step of many micro-batches
FIRST_ENTRIES = 20_000  # before the second step: enough to show what led to a failed allocation
_SAMPLES = 500
_LINES = 8
_ALLOCATED, _FREED = "alloc", "free_requested"
_EARLIER = "held before the step"
_REST = "other lines"
_BEFORE = "held before"
_FAILED = "the allocation that failed"


def curve(snapshot: Any, device: int, begin_us: int, before_bytes: int) -> "dict[str, Any] | None":
    """Samples of a step: the moment and the bytes of each line; the fullest moment is one."""
    changes = list(_changes(snapshot["device_traces"][device], begin_us))
    return _curve(changes, before_bytes) if changes else None


def curve_to_failure(
    snapshot: Any, device: int, allocated_bytes: int, asked_bytes: int
) -> "dict[str, Any] | None":
    """The same up to an allocation that failed; its moments are numbers of changes, as the clock
    tells nothing of a GPU."""
    changes = [
        (number, line, size)
        for number, (_, line, size) in enumerate(_changes(snapshot["device_traces"][device], 0))
    ]
    if not changes:
        return None
    made = _curve(changes, allocated_bytes - sum(size for _, _, size in changes))
    made["names"] = [_BEFORE, *made["names"][1:], _FAILED]
    for sample in made["samples"]:
        sample[1].append(0)
    held = made["samples"][-1][1]
    made["samples"].append([len(changes), [*held[:-1], asked_bytes]])
    return made


def _curve(changes: "list[Any]", before_bytes: int) -> "dict[str, Any]":
    lines = _longest(changes, before_bytes)
    names = [_EARLIER, *lines, _REST]
    held = Counter({_EARLIER: before_bytes})
    samples: list[Any] = []
    totals = _totals(changes, before_bytes)
    kept = _kept(totals)
    for index, (moment, line, size) in enumerate(changes):
        held[line if line in lines or line == _EARLIER else _REST] += size
        if index in kept:
            samples.append([moment, [held[name] for name in names]])
    return {"names": names, "samples": samples}


def _changes(trace: Any, begin_us: int) -> "Any":
    """When, which line, how many bytes; what is freed belongs to the line that allocated it."""
    owners: dict[int, tuple[str, int]] = {}
    lines = ByStack(memory_holders.line_of)
    for entry in trace:
        if entry.get("time_us", 0) < begin_us:
            continue
        if entry["action"] == _ALLOCATED:
            line = lines.of(entry)
            owners[entry["addr"]] = line, entry["size"]
            yield entry["time_us"], line, entry["size"]
        elif entry["action"] == _FREED:
            line, size = owners.pop(entry["addr"], (_EARLIER, entry["size"]))
            yield entry["time_us"], line, -size


def _totals(changes: "list[Any]", total: int) -> "list[int]":
    found = []
    for _, _, size in changes:
        total += size
        found.append(total)
    return found


def _longest(changes: "list[Any]", before_bytes: int) -> "list[str]":
    """The lines that hold most when the step is at its fullest."""
    totals = _totals(changes, before_bytes)
    fullest = max(range(len(totals)), key=totals.__getitem__)
    held: Counter[str] = Counter()
    for _, line, size in changes[: fullest + 1]:
        held[line] += size
    return [line for line, _ in held.most_common(_LINES + 1) if line != _EARLIER][:_LINES]


def _kept(totals: "list[int]") -> "set[int]":
    """The fullest moment of each stretch, and the first and last of all."""
    wide = max(1, -(-len(totals) // _SAMPLES))
    parts = range(0, len(totals), wide)
    fullest = {max(range(i, min(i + wide, len(totals))), key=totals.__getitem__) for i in parts}
    return fullest | {0, len(totals) - 1}
