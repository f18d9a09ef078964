"""What a rank's host and device did, taken from a prediction."""

from collections.abc import Iterator
from itertools import groupby, pairwise
from typing import Any

import numpy as np

from maya.analyze.placed import PlaceNumbers
from maya.analyze.predicting import Prediction
from maya.analyze.world import rank_of
from maya.export.operators import operator_spans
from maya.export.rank_spans import RankSpans, Region, RuntimeCall, Work
from maya.simulator.program import Op
from maya.trace import Definition
from maya.trace.format import Kind
from maya.trace.kernel_class import name_of
from maya.trace.places import NOWHERE

DEFAULT_STREAM = 7  # CUPTI's number; readers take 0 for no stream
_SYNCS = {
    Op.SYNC_STREAM: "cudaStreamSynchronize",
    Op.SYNC_DEVICE: "cudaDeviceSynchronize",
    Op.SYNC_EVENT: "cudaEventSynchronize",
}
_CALLS: dict[int, str] = {Kind.COPY: "cudaMemcpyAsync", Kind.MEMSET: "cudaMemsetAsync"}
# CUPTI's names, by the direction that CUDA was given.
_COPIES = {
    0: "Memcpy HtoH",
    1: "Memcpy HtoD ({pageable} -> Device)",
    2: "Memcpy DtoH (Device -> {pageable})",
    3: "Memcpy DtoD (Device -> Device)",
}


def spans_of(prediction: Prediction) -> Iterator[RankSpans]:
    """Of every launched rank."""
    numbers = PlaceNumbers(prediction)
    for index, capture in enumerate(prediction.job.captures):
        rank = rank_of(capture, index)
        works, calls = _spans(prediction, index)
        yield RankSpans(
            rank,
            rank % prediction.cluster.per_node,
            prediction.world_size,
            tuple(pairwise(prediction.step_ends_ns)),
            tuple(works),
            tuple(calls),
            tuple(_regions(numbers, index, calls)) if numbers.known else (),
            tuple(operator_spans(prediction, index, calls)),
        )


def _regions(numbers: PlaceNumbers, index: int, calls: list[RuntimeCall]) -> Iterator[Region]:
    """Calls that follow each other on a thread and come from the same module."""
    found = numbers.of(index, np.array([call.correlation for call in calls], np.int64))
    places = [numbers.all[number] if number >= 0 else NOWHERE for number in found.tolist()]
    for thread in sorted({call.thread for call in calls}):
        mine = [(c, p) for c, p in zip(calls, places, strict=True) if c.thread == thread]
        for (module, phase), group in groupby(mine, lambda one: (one[1].module, one[1].phase)):
            (first, place), *others = group
            last = others[-1][0] if others else first
            if module or phase:
                yield Region(place, thread, first.begin_ns, last.end_ns)


def _spans(prediction: Prediction, index: int) -> tuple[list[Work], list[RuntimeCall]]:
    job, timeline = prediction.job, prediction.timeline
    numbers, calls = job.ranks[index].rows.definition, job.program.calls
    begin, end = (int(x) for x in job.program.rank_begin[index : index + 2])
    working = np.isin(calls.op[begin:end], (Op.WORK, Op.COLLECTIVE))
    streams = _stream_numbers(calls.stream[begin:end][working])
    works, made = [], []
    for call in range(begin, end):
        number, op = int(numbers[call - begin]), int(calls.op[call])
        if number <= 0 or timeline.return_ns[call] < 0:
            continue
        if op not in (Op.WORK, Op.COLLECTIVE) and op not in _SYNCS:
            continue
        definition = job.captures[index].definition(number)
        if op not in _SYNCS:
            times = int(timeline.start_ns[call]), int(timeline.end_ns[call])
            stream = streams[int(calls.stream[call])]
            works.append(Work(definition, work_name(definition), stream, *times, call))
        made.append(_call(calls, timeline, call, op, definition))
    return works, made


def _call(calls: Any, timeline: Any, call: int, op: int, definition: Definition) -> RuntimeCall:
    issue = int(timeline.issue_ns[call])
    name = _SYNCS[Op(op)] if op in _SYNCS else _CALLS.get(definition.kind, "cudaLaunchKernel")
    return RuntimeCall(
        name,
        int(calls.thread[call]),
        issue - int(calls.host_ns[call]),
        max(issue, int(timeline.return_ns[call])),
        call,
        op in _SYNCS,
    )


def work_name(definition: Definition) -> str:
    """As CUPTI would name it."""
    if definition.kind == Kind.COLLECTIVE:
        return f"ncclDevKernel_{definition.op.removeprefix('nccl')}"
    if definition.kind == Kind.MEMSET:
        return "Memset (Device)"
    if definition.kind == Kind.COPY:
        host = "Pageable" if definition.number("pageable") else "Pinned"
        return _COPIES.get(definition.number("direction"), "Memcpy").format(pageable=host)
    return name_of(definition)


def _stream_numbers(streams: Any) -> dict[int, int]:
    """Of those with work, from 7 on."""
    return {int(s): DEFAULT_STREAM + place for place, s in enumerate(np.unique(streams))}
