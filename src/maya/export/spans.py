"""What a rank's host and device did, as simulated: the raw material of every format."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import Any

import numpy as np

from maya.analyze.placed import PlaceNumbers
from maya.analyze.predicting import Prediction, rank_of
from maya.simulator.program import Op
from maya.trace import Definition
from maya.trace.format import Kind
from maya.trace.kernel_class import name_of
from maya.trace.places import NOWHERE, Place

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


@dataclass(frozen=True, slots=True)
class Work:
    """A kernel, copy, fill or collective on the device."""

    definition: Definition
    name: str
    stream: int
    begin_ns: int
    end_ns: int
    correlation: int


@dataclass(frozen=True, slots=True)
class Call:
    """A call of the runtime on a host thread; `waits`: for the device."""

    name: str
    thread: int
    begin_ns: int
    end_ns: int
    correlation: int
    waits: bool


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of a host thread in which one module (or the optimiser) asks for work."""

    place: Place  # its line is that of the first call
    thread: int
    begin_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True)
class RankSpans:
    """One launched rank."""

    rank: int
    device: int  # of its node
    world_size: int
    steps: tuple[tuple[int, int], ...]  # begin and end, ns
    works: tuple[Work, ...]
    calls: tuple[Call, ...]
    regions: tuple[Region, ...] = ()

    def of_the_steps(self) -> "RankSpans":
        """Without the work before the first step, which warms up what is simulated, and after the
        last: as a profiler that was switched on for these steps."""
        low, high = self.steps[0][0], self.steps[-1][1]
        works = tuple(w for w in self.works if w.end_ns > low and w.begin_ns < high)
        asked = {work.correlation for work in works}
        calls = tuple(
            call
            for call in self.calls
            if call.correlation in asked
            or (call.waits and low < call.end_ns and call.begin_ns < high)
        )
        begin = min((call.begin_ns for call in calls), default=low)
        end = max((call.end_ns for call in calls), default=high)
        regions = tuple(r for r in self.regions if r.begin_ns >= begin and r.end_ns <= end)
        return replace(self, works=works, calls=calls, regions=regions)


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
        )


def _regions(numbers: PlaceNumbers, index: int, calls: list[Call]) -> Iterator[Region]:
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


def _spans(prediction: Prediction, index: int) -> tuple[list[Work], list[Call]]:
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


def _call(calls: Any, timeline: Any, call: int, op: int, definition: Definition) -> Call:
    issue = int(timeline.issue_ns[call])
    name = _SYNCS[Op(op)] if op in _SYNCS else _CALLS.get(definition.kind, "cudaLaunchKernel")
    return Call(
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
