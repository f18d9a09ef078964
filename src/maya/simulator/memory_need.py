"""Whether a simulation of every rank fits the memory of this machine."""

from pathlib import Path

import numpy as np

from maya.errors import MayaError
from maya.simulator.program import Array, Program

# Of the engine's state (native/engine/simulation.h).
_ITEM, _START, _STREAM, _TRANSFER, _SLOT = 24, 8, 256, 120, 12
_KEPT_ITEMS = 256  # done, before their room is used again
_LAUNCH_QUEUE = 1024
_MEMBER = 8  # a stream's number, in a list that grows by doubling


def require_memory(program: Program, available: int | None = None) -> None:
    """MayaError where the engine would take more than there is."""
    free = available_bytes() if available is None else available
    need = needed_bytes(program)
    if free is not None and need > free:
        raise MayaError(
            f"simulating each of {program.ranks:,} ranks takes up to {need / 2**30:.1f} GiB of "
            f"memory, and {free / 2**30:.1f} GiB are free",
            hint="record fewer steps (--steps 1), or simulate without --every-rank and --jitter",
        )


def needed_bytes(program: Program) -> int:
    """The most that the engine takes for a program whose ranks share calls."""
    moves = program.transfers
    transfers = len(moves.ranks) * _TRANSFER + int(moves.ranks.sum(dtype=np.int64)) * _MEMBER
    return transfers + program.slot_count * _SLOT + _of_streams(program)


def _of_streams(program: Program) -> int:
    """Queues of streams: what a representative's stream holds, each of its ranks holds."""
    shared = program.shared
    if shared is None:
        return 0
    begins, which = np.unique(shared.begin, return_inverse=True)
    ends = {int(begin): int(end) for begin, end in zip(shared.begin, shared.end, strict=True)}
    each = [_of_rank(program.calls.stream[begin : ends[begin]]) for begin in begins.tolist()]
    total = int(np.array(each, np.int64)[which].sum())
    return total + len(program.streams.rank) * _STREAM


def _of_rank(stream: Array) -> int:
    _, items = np.unique(stream[stream >= 0], return_counts=True)
    held = np.minimum(items, _KEPT_ITEMS + _LAUNCH_QUEUE)
    room = 2 ** np.ceil(np.log2(np.maximum(held, 1)))  # queues grow by doubling
    return int(room.sum()) * _ITEM + int(np.minimum(items, _LAUNCH_QUEUE).sum()) * _START


def available_bytes() -> int | None:
    """Memory that can be had without swapping, where the system tells."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None
