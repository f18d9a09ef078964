"""The simulated timeline as PyTorch profiler traces, one gzipped file a rank.

Readers expect some things: HTA finds a rank by the text `"rank": N`, with the space; kernels of
collectives begin with nccl; CUDA's default stream is shown as 7 and never as 0.
"""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from maya.analyze.predicting import Prediction
from maya.export.files import written
from maya.export.rank_spans import RankSpans, RuntimeCall, Work
from maya.export.spans import spans_of
from maya.trace.format import Kind
from maya.trace.problem import NCCL_TYPES

_CATEGORIES: dict[int, str] = {Kind.COPY: "gpu_memcpy", Kind.MEMSET: "gpu_memset"}
_HOST_PID = 100_000  # host and device are processes of their own; a device's number is its id
_ANNOTATIONS = 0  # thread of the steps
_WAITS = {
    "cudaStreamSynchronize": "Stream Synchronize",
    "cudaEventSynchronize": "Event Synchronize",
    "cudaDeviceSynchronize": "Context Synchronize",
}
Event = dict[str, Any]


def write_kineto(prediction: Prediction, directory: Path) -> list[Path]:
    """Write rank{N}_trace.json.gz for every launched rank."""

    def write(spans: RankSpans, path: Path) -> None:
        with gzip.open(path, "wt", compresslevel=5, encoding="utf-8") as file:
            json.dump(_trace(prediction, spans.of_the_steps()), file)

    return written(spans_of(prediction), directory, "rank{rank}_trace.json.gz", write)


def _trace(prediction: Prediction, spans: RankSpans) -> dict[str, Any]:
    gpu = prediction.cluster.gpu
    asked_by = {call: span.number for span in spans.operators for call in span.calls}
    return {
        "schemaVersion": 1,
        "distributedInfo": {
            "backend": "nccl",
            "rank": spans.rank,
            "world_size": spans.world_size,
        },
        "deviceProperties": [
            {
                "id": spans.device,
                "name": gpu.name,
                "totalGlobalMem": gpu.total_memory_bytes,
                "numSms": gpu.sm_count,
                "computeMajor": gpu.major,
                "computeMinor": gpu.minor,
            }
        ],
        "traceEvents": [
            *_names(spans),
            *_steps(spans),
            *_regions(spans),
            *_operators(spans),
            *_calls(spans, asked_by),
            *_works(spans, asked_by),
        ],
    }


def _names(spans: RankSpans) -> Iterator[Event]:
    """What the rows of a viewer are called."""
    host = _HOST_PID + spans.rank
    yield _meta("process_name", host, 0, name="python")
    yield _meta("process_labels", host, 0, labels="CPU")
    yield _meta("process_name", spans.device, 0, name="python")
    yield _meta("process_labels", spans.device, 0, labels=f"GPU {spans.device}")
    for thread in sorted({call.thread for call in spans.calls}):
        yield _meta("thread_name", host, thread, name=f"thread {thread} (python)")
    for stream in sorted({work.stream for work in spans.works}):
        yield _meta("thread_name", spans.device, stream, name=f"stream {stream}")


def _meta(what: str, pid: int, tid: int, **arguments: str) -> Event:
    return {"ph": "M", "name": what, "pid": pid, "tid": tid, "ts": 0, "args": arguments}


def _steps(spans: RankSpans) -> Iterator[Event]:
    thread = min((call.thread for call in spans.calls), default=_ANNOTATIONS)
    for number, (begin, end) in enumerate(spans.steps):
        name, pid = f"ProfilerStep#{number}", _HOST_PID + spans.rank
        yield _span("user_annotation", name, begin, end, pid, thread)


def _regions(spans: RankSpans) -> Iterator[Event]:
    """Modules of the program as ranges: what readers that look for operators find instead."""
    pid = _HOST_PID + spans.rank
    for region in spans.regions:
        place = region.place
        name = f"{place.module or '(training loop)'} ({place.phase or 'other'})"
        times = region.begin_ns, region.end_ns
        yield _span("user_annotation", name, *times, pid, region.thread, line=place.line)


def _operators(spans: RankSpans) -> Iterator[Event]:
    """Each before those within it: where they begin and end together, readers nest by order."""
    pid = _HOST_PID + spans.rank
    for span in spans.operators:
        facts: dict[str, Any] = {"External id": span.number}
        if span.operator.sizes:
            facts["Input Dims"] = json.loads(span.operator.sizes)
        times = span.begin_ns, span.end_ns
        yield _span("cpu_op", span.operator.name, *times, pid, span.thread, **facts)


def _calls(spans: RankSpans, asked_by: dict[int, int]) -> Iterator[Event]:
    pid = _HOST_PID + spans.rank
    worked = {work.correlation for work in spans.works}
    for call in spans.calls:
        operator = asked_by.get(call.correlation, call.correlation)
        numbers = {"External id": operator, "correlation": call.correlation}
        yield _span(
            "cuda_runtime", call.name, call.begin_ns, call.end_ns, pid, call.thread, **numbers
        )
        if call.correlation in worked:
            yield _arrow("s", call.begin_ns, pid, call.thread, call.correlation)
        if call.waits:
            yield _wait(call, spans)


def _wait(call: RuntimeCall, spans: RankSpans) -> Event:
    """What CUPTI calls a synchronisation, on a row of the device that is no stream."""
    numbers = {"stream": -1, "correlation": call.correlation, "device": spans.device}
    times = call.begin_ns, call.end_ns
    return _span("cuda_sync", _WAITS[call.name], *times, spans.device, -1, **numbers)


def _works(spans: RankSpans, asked_by: dict[int, int]) -> Iterator[Event]:
    for work in spans.works:
        category = _CATEGORIES.get(work.definition.kind, "kernel")
        times = work.begin_ns, work.end_ns
        operator = asked_by.get(work.correlation, work.correlation)
        facts = {"External id": operator, "device": spans.device, "stream": work.stream}
        facts |= {"correlation": work.correlation} | _facts(work)
        yield _span(category, work.name, *times, spans.device, work.stream, **facts)
        yield _arrow("f", work.begin_ns, spans.device, work.stream, work.correlation)


def _facts(work: Work) -> dict[str, Any]:
    """What the profiler says of each kind."""
    told = work.definition
    if told.kind in _CATEGORIES:
        moved, seconds = told.number("bytes"), (work.end_ns - work.begin_ns) / 1e9
        rate = moved / 1e9 / seconds if seconds else 0.0
        return {"bytes": moved, "memory bandwidth (GB/s)": rate}
    if told.kind == Kind.COLLECTIVE:
        name, _ = NCCL_TYPES.get(told.number("datatype", -1), ("?", 1))
        return {
            "Collective name": told.op.removeprefix("nccl").lower(),
            "In msg nelems": told.number("count"),
            "Out msg nelems": told.number("count"),
            "Group size": told.number("nranks", 1),
            "dtype": name,
            "Process Group Name": str(told.number("comm")),
        }
    if told.kind == Kind.KERNEL:
        shape = {s: [told.number(f"{s}_{axis}", 1) for axis in "xyz"] for s in ("grid", "block")}
        return shape | {"registers per thread": told.number("registers")}
    return {}


def _arrow(phase: str, at_ns: int, pid: int, tid: int, number: int) -> Event:
    """From a call to the work that it asked for."""
    end = {"bp": "e"} if phase == "f" else {}
    where = {"pid": pid, "tid": tid, "ts": at_ns / 1e3}
    return {"ph": phase, "id": number, "cat": "ac2g", "name": "ac2g"} | where | end


def _span(
    category: str, name: str, begin: int, end: int, pid: int, tid: int, **arguments: Any
) -> Event:
    return {
        "ph": "X",
        "cat": category,
        "name": name,
        "pid": pid,
        "tid": tid,
        "ts": begin / 1e3,
        "dur": (end - begin) / 1e3,
        "args": arguments,
    }
