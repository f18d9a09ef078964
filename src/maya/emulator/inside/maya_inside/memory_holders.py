"""Who holds the blocks of a snapshot of PyTorch's allocator."""

import sys
import weakref
from collections import Counter
from collections.abc import Iterator
from typing import Any

from maya_inside import compiled_places, own_code
from maya_inside.memory_stacks import ByStack

_LINES = 12
_OTHER = "activations and temporaries"
_LASTING = "buffers and workspaces"
_BACKWARD = "(autograd, no Python line)"


def read(snapshot: Any, device: int, owners: "Owners") -> dict[str, Any]:
    """Bytes that are allocated, by line of code and by category."""
    lines: Counter[str] = Counter()
    categories: Counter[str] = Counter()
    owner, line_by_stack = owners.now(), ByStack(line_of)
    for address, block in _live(snapshot, device):
        line = line_by_stack.of(block)
        lines[line] += block["size"]
        lasts = owners.lasting.get(address) == (block["size"], line)
        categories[owner.get(address, _LASTING if lasts else _OTHER)] += block["size"]
    top = [{"line": line, "bytes": size} for line, size in lines.most_common(_LINES)]
    return {"bytes": sum(categories.values()), "lines": top, "categories": dict(categories)}


def _live(snapshot: Any, device: int) -> "Iterator[tuple[int, Any]]":
    for segment in snapshot["segments"]:
        if segment.get("device", device) != device:
            continue
        address = segment["address"]
        for block in segment["blocks"]:
            if block["state"] == "active_allocated":
                yield block.get("address", address), block
            address += block["size"]


def line_of(frames: "list[Any]") -> str:
    """The innermost line that is the program's own; else the innermost of a library it uses."""
    for frame in frames:
        compiled: Any = compiled_places.place_at(frame["filename"], frame["line"])
        if compiled and compiled.line:
            return str(compiled.line)
        if own_code.is_own(frame["filename"]):
            return f"{frame['filename']}:{frame['line']} ({frame['name']})"
    for frame in frames:
        if "/torch/" not in frame["filename"] and not frame["filename"].startswith("<"):
            return f"{frame['filename']}:{frame['line']} ({frame['name']})"
    return _BACKWARD


def caller() -> str:
    """The program's line that this thread is at."""
    frame: Any = sys._getframe(1)
    frames = []
    while frame is not None:
        code = frame.f_code
        frames.append({"filename": code.co_filename, "line": frame.f_lineno, "name": code.co_name})
        frame = frame.f_back
    return line_of(frames)


class Owners:
    """Where the tensors lie that optimisers know: parameters, gradients, their own state."""

    def __init__(self) -> None:
        self._optimizers: dict[int, Any] = {}
        # What lay between two steps and belongs to no optimiser: buffers, workspaces of libraries.
        self.lasting: dict[int, tuple[int, str]] = {}

    def count(self) -> int:
        """How many optimisers there are."""
        return max(1, len(self._optimizers))

    def add(self, optimizer: Any) -> None:
        """Remember an optimiser as long as it lives."""
        self._optimizers[id(optimizer)] = weakref.ref(optimizer)

    def between_steps(self, snapshot: Any, device: int) -> None:
        """Remember what is there when a step has ended."""
        lines = ByStack(line_of)
        self.lasting = {
            address: (block["size"], lines.of(block)) for address, block in _live(snapshot, device)
        }

    def now(self) -> "dict[int, str]":
        """Category by address, at this moment: addresses of gradients are soon used again."""
        found: dict[int, str] = {}
        for optimizer in [reference() for reference in self._optimizers.values()]:
            for kind, tensor in _tensors(optimizer):
                address = _address(tensor)
                if address:
                    found.setdefault(address, kind)
        return found


def _tensors(optimizer: Any) -> "Iterator[tuple[str, Any]]":
    for group in getattr(optimizer, "param_groups", ()):
        for parameter in group["params"]:
            yield "parameters", parameter
            yield "gradients", getattr(parameter, "grad", None)
    for state in list(getattr(optimizer, "state", {}).values()):
        for value in list(state.values()) if hasattr(state, "values") else ():
            yield "optimizer state", value


def _address(tensor: Any) -> int:
    """Of a tensor's memory on the device; 0 where it has none."""
    tensor = getattr(tensor, "_local_tensor", tensor)  # DTensor
    if not getattr(tensor, "is_cuda", False):
        return 0
    try:
        return int(tensor.untyped_storage().data_ptr())
    except Exception:  # a subclass without storage of its own
        return 0
