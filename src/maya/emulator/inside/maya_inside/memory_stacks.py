"""What stacks of a snapshot of PyTorch's allocator tell, worked out once for each.

A step of many micro-batches leaves some hundred thousand changes with a few thousand stacks between
them. Torch makes each frame of a snapshot once, so equal stacks are lists of the same objects.
"""

from collections.abc import Callable
from typing import Any


class ByStack:
    """Of one snapshot, which must be kept as long: frames are known by their identity."""

    def __init__(self, tell: "Callable[[list[Any]], Any]") -> None:
        self._tell = tell
        self._told: dict[tuple[int, ...], Any] = {}

    def of(self, holder: Any) -> Any:
        """What the stack of a block, a segment or a change tells."""
        frames = holder.get("frames") or []
        key = tuple(map(id, frames))
        if key not in self._told:
            self._told[key] = self._tell(frames)
        return self._told[key]
