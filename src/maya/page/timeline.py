"""One step as lanes: streams, host threads and the critical path, packed into small numbers."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from maya.analyze.intervals import I64
from maya.analyze.predicting import Prediction
from maya.analyze.world import rank_of
from maya.page.kinds import WorkKinds
from maya.page.work import RankWork
from maya.simulator.path import Part
from maya.simulator.program import Op

MOST_RANKS = 64  # with lanes of their own; a page must open at once
_MERGED_NS = 1_000  # host code that goes on after less is one stretch
_LEAST_WAIT_NS = 2_000
_SYNCS = (Op.SYNC_STREAM, Op.SYNC_DEVICE, Op.SYNC_EVENT)
Lane = dict[str, Any]


def step_timeline(
    prediction: Prediction, works: Sequence[RankWork], kinds: WorkKinds, places: Sequence[I64]
) -> dict[str, Any]:
    """Of the last step; `places` numbers where in the program each piece of work was asked for."""
    low, high = prediction.step_ends_ns[-2:]
    return {
        "length": high - low,
        "path": _path(prediction, kinds, low),
        "ranks": [
            {
                "rank": work.rank,
                "lanes": [
                    *_streams(work, kinds, place, low, high),
                    *_threads(prediction, work.index, low, high),
                ],
            }
            for work, place in zip(works[:MOST_RANKS], places, strict=False)
        ],
        "left_out": max(0, len(works) - MOST_RANKS),
    }


def _streams(work: RankWork, kinds: WorkKinds, place: I64, low: int, high: int) -> Iterator[Lane]:
    """Streams with communication last."""
    numbers = sorted(np.unique(work.stream).tolist(), key=lambda s: (_moves(work, s), s))
    for order, stream in enumerate(numbers):
        on_stream = work.stream == stream
        part, where = work.take(on_stream), place[on_stream]
        start, end = np.clip(part.start_ns, low, high), np.clip(part.end_ns, low, high)
        numbered = [kinds.number(work.index, number) for number in part.number.tolist()]
        waits = np.clip(part.moving_ns, low, high) - start
        yield {
            "name": f"stream {order}",
            "kind": "communication" if _moves(work, stream) else "stream",
            **packed_spans(start, end, low),
            "k": numbered,
            "p": where.tolist(),
            "w": waits.tolist() if waits.any() else [],
        }


def _moves(work: RankWork, stream: int) -> bool:
    on_stream = work.stream == stream
    return bool(work.collective[on_stream].mean() > 0.5)


def packed_spans(start: I64, end: I64, low: int) -> dict[str, list[int]]:
    """How long after the end of the one before each begins, and how long it lasts."""
    before = np.concatenate(([low], end[:-1])) if len(end) else np.empty(0, np.int64)
    return {"s": (start - before).tolist(), "d": (end - start).tolist()}


def _threads(prediction: Prediction, index: int, low: int, high: int) -> Iterator[Lane]:
    """Host code, with what is too short to see joined, and waits for the device."""
    job, timeline = prediction.job, prediction.timeline
    begin, end = (int(x) for x in job.program.rank_begin[index : index + 2])
    calls = job.program.calls
    issue, returned = timeline.issue_ns[begin:end], timeline.return_ns[begin:end]
    thread, host = calls.thread[begin:end], calls.host_ns[begin:end]
    syncs = np.isin(calls.op[begin:end], _SYNCS) & (returned - issue > _LEAST_WAIT_NS)
    for order, number in enumerate(np.unique(thread).tolist()):
        mine = (thread == number) & (issue > low) & (issue - host < high) & (issue >= 0)
        start, stop = _merged(np.maximum(issue - host, low)[mine], np.minimum(issue, high)[mine])
        if not len(start):
            continue
        waits = (thread == number) & syncs & (returned > low) & (issue < high)
        yield {
            "name": f"host thread {order}",
            "kind": "host",
            **packed_spans(start, stop, low),
            "waits": packed_spans(
                np.clip(issue[waits], low, high), np.clip(returned[waits], low, high), low
            ),
        }


def _merged(start: I64, end: I64) -> tuple[I64, I64]:
    if not len(start):
        return start, end
    order = np.argsort(start, kind="stable")
    start, reach = start[order], np.maximum.accumulate(end[order])
    first = np.concatenate(([True], start[1:] > reach[:-1] + _MERGED_NS))
    last = np.concatenate((first[1:], [True]))
    return start[first], reach[last]


def _path(prediction: Prediction, kinds: WorkKinds, low: int) -> dict[str, Any]:
    """What the step waited for at each moment: part, kind of work, rank."""
    job = prediction.job
    found = prediction.path.segments[::-1]
    calls = np.array([segment.call for segment in found], np.int64)
    index = np.searchsorted(job.program.rank_begin, calls, side="right") - 1
    own = calls - job.program.rank_begin[index]
    numbers = [
        int(job.ranks[i].rows.definition[row])
        for i, row in zip(index.tolist(), own.tolist(), strict=True)
    ]
    begin = np.array([segment.begin_ns for segment in found], np.int64)
    end = np.array([segment.end_ns for segment in found], np.int64)
    parts = list(Part)
    return {
        **packed_spans(begin, end, low),
        "part": [parts.index(segment.part) for segment in found],
        "parts": [str(part) for part in parts],
        "k": [
            kinds.number(i, number) if number > 0 else -1
            for i, number in zip(index.tolist(), numbers, strict=True)
        ],
        "rank": [rank_of(job.captures[i], i) for i in index.tolist()],
    }
