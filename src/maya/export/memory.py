"""Snapshots of PyTorch's allocator, as torch.cuda.memory._dump_snapshot writes them."""

import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from maya.analyze.moments import simulated_moments
from maya.analyze.predicting import Prediction
from maya.analyze.snapshot import Change, MemorySegment, Snapshot, read_snapshot
from maya.analyze.world import rank_of
from maya.errors import MayaError
from maya.trace import Capture

_PROTOCOL = 4  # pytorch.org/memory_viz reads no newer one


def write_memory(prediction: Prediction, directory: Path) -> list[Path]:
    """rank{N}_memory.pickle of every launched rank, with the times of the simulated step."""
    recorded = [capture for capture in prediction.job.captures if capture.origin is None]
    return _write(recorded, directory, prediction)


def write_failed_memory(captures: Sequence[Capture], directory: Path) -> list[Path]:
    """The same of a run without a step: what was held when an allocation failed."""
    return _write(captures, directory, None)


def _write(
    captures: Sequence[Capture], directory: Path, prediction: Prediction | None
) -> list[Path]:
    paths = []
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for index, capture in enumerate(captures):
            snapshot = read_snapshot(capture.path)
            if snapshot is None:
                continue
            moments = [change[4] for change in snapshot.trace]
            if prediction is not None and moments:
                moments = _predicted(moments, prediction, index)
            path = directory / f"rank{rank_of(capture, index)}_memory.pickle"
            path.write_bytes(pickle.dumps(_as_torch_has_it(snapshot, moments), _PROTOCOL))
            paths.append(path)
    except OSError as error:
        raise MayaError(f"cannot write to {directory}: {error.strerror}") from error
    if not paths:
        raise MayaError(
            "the run has no snapshot of PyTorch's memory",
            hint="Maya takes it in the second step of a PyTorch optimiser, or when memory "
            "runs out, in a program that records no memory history itself; record the run again",
        )
    return paths


def _predicted(moments: list[int], prediction: Prediction, index: int) -> list[int]:
    """Microseconds of the clock: the recorded begin, and from there as simulated."""
    low, high = prediction.step_ends_ns[-2:]
    program, timeline = prediction.job.program, prediction.timeline
    begin, end = (int(x) for x in program.rank_begin[index : index + 2])
    start, stop = timeline.start_ns[begin:end], timeline.end_ns[begin:end]
    starts = start[(stop > low) & (start < high) & (stop > start)]
    capture = prediction.job.captures[index]
    found = simulated_moments(np.array(moments, np.int64), capture, starts, low, high)
    placed: list[int] = (moments[0] + (found - low) // 1000).tolist()
    return placed


def _as_torch_has_it(snapshot: Snapshot, moments: Sequence[int]) -> dict[str, Any]:
    stacks = [
        [{"filename": file, "line": line, "name": name} for file, line, name in stack]
        for stack in snapshot.stacks
    ]
    changes = [
        _change(change, moment, stacks)
        for change, moment in zip(snapshot.trace, moments, strict=True)
    ]
    return {
        "segments": [_segment(one, snapshot.device, stacks) for one in snapshot.segments],
        "device_traces": [[] for _ in range(snapshot.device)] + [changes],
        "allocator_settings": {},
    }


def _change(change: Change, moment: int, stacks: list[Any]) -> dict[str, Any]:
    action, address, size, stream, _, stack = change
    where = "device_free" if action == "oom" else "addr"  # torch's name for the same number
    return {
        "action": action,
        where: address,
        "size": size,
        "stream": stream,
        "time_us": moment,
        "frames": stacks[stack],
    }


def _segment(segment: MemorySegment, device: int, stacks: list[Any]) -> dict[str, Any]:
    told = segment.model_dump(exclude={"type", "expandable", "stack", "blocks"})
    blocks = [
        {
            "address": address,
            "size": size,
            "requested_size": requested,
            "state": state,
            "frames": stacks[stack],
        }
        for address, size, requested, state, stack in segment.blocks
    ]
    return told | {
        "device": device,
        "segment_type": segment.type,
        "segment_pool_id": (0, 0),
        "is_expandable": segment.expandable,
        "frames": stacks[segment.stack],
        "blocks": blocks,
    }
