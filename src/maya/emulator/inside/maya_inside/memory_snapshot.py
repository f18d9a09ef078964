"""A snapshot of PyTorch's allocator as JSON: pickles run code when they are read; maya reads none.

Stacks repeat: each is written once, and blocks and changes give its number.
"""

import json
from typing import Any

from maya_inside.memory_stacks import ByStack

_MOST_FRAMES = 24
_NUMBERS = (
    "address",
    "total_size",
    "stream",
    "allocated_size",
    "active_size",
    "requested_size",
)
_BLOCK = ("address", "size", "requested_size")
_CHANGE = ("size", "stream", "time_us")


def write(snapshot: Any, device: int, path: str, begin_us: int) -> None:
    """The device's segments with their blocks, and what the allocator did since, oldest first."""
    stacks: dict[tuple[Any, ...], int] = {}
    numbers = ByStack(lambda frames: stacks.setdefault(_stack(frames), len(stacks)))
    told = {
        "device": device,
        "segments": [
            _segment(one, numbers) for one in snapshot["segments"] if one.get("device") == device
        ],
        "trace": [
            [*_change(entry), numbers.of(entry)]
            for entry in snapshot["device_traces"][device]
            if entry.get("time_us", 0) >= begin_us
        ],
        "stacks": [[list(frame) for frame in stack] for stack in stacks],
    }
    with open(path, "w", encoding="utf-8") as file:
        # Not json.dump: that goes through every number in Python.
        file.write(json.dumps(told, separators=(",", ":")))


def _change(entry: Any) -> "tuple[Any, ...]":
    """An allocation that failed has no address, but what the device had left."""
    place = entry.get("addr", entry.get("device_free", 0))
    return (entry["action"], place, *(entry.get(name, 0) for name in _CHANGE))


def _segment(segment: Any, numbers: ByStack) -> "dict[str, Any]":
    found = {name: segment.get(name, 0) for name in _NUMBERS}
    found["type"] = segment.get("segment_type", "large")
    found["expandable"] = bool(segment.get("is_expandable", False))
    found["stack"] = numbers.of(segment)
    found["blocks"] = [
        [*(block.get(name, 0) for name in _BLOCK), block["state"], numbers.of(block)]
        for block in segment["blocks"]
    ]
    return found


def _stack(frames: "list[Any]") -> "tuple[Any, ...]":
    return tuple(
        (frame["filename"], frame["line"], frame["name"]) for frame in frames[:_MOST_FRAMES]
    )
