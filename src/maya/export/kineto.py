"""The simulated timeline as PyTorch profiler traces, one gzipped file a rank.

Readers expect some things: HTA finds a rank by the text `"rank": N`, with the space; kernels of
collectives begin with nccl; CUDA's default stream is shown as 7 and never as 0.
"""

import gzip
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from maya.analyze.predict import Prediction, rank_of
from maya.errors import MayaError
from maya.simulator.program import Op
from maya.trace import Definition
from maya.trace.format import Kind
from maya.trace.kernel_class import name_of

_DEFAULT_STREAM = 7
_CATEGORIES: dict[int, str] = {Kind.COPY: "gpu_memcpy", Kind.MEMSET: "gpu_memset"}
_SYNCS = (Op.SYNC_STREAM, Op.SYNC_DEVICE, Op.SYNC_EVENT)
Event = dict[str, Any]


def write_kineto(prediction: Prediction, directory: Path) -> list[Path]:
    """Write rank{N}_trace.json.gz for every launched rank."""
    written = []
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for index, capture in enumerate(prediction.job.captures):
            rank = rank_of(capture, index)
            path = directory / f"rank{rank}_trace.json.gz"
            with gzip.open(path, "wt", compresslevel=5, encoding="utf-8") as file:
                json.dump(_trace(prediction, index, rank), file)
            written.append(path)
    except OSError as error:
        raise MayaError(f"cannot write to {directory}: {error.strerror}") from error
    return written


def _trace(prediction: Prediction, index: int, rank: int) -> dict[str, Any]:
    gpu = prediction.cluster.gpu
    return {
        "schemaVersion": 1,
        "distributedInfo": {
            "backend": "nccl",
            "rank": rank,
            "world_size": prediction.world_size,
        },
        "deviceProperties": [
            {
                "id": 0,
                "name": gpu.name,
                "totalGlobalMem": gpu.total_memory_bytes,
                "numSms": gpu.sm_count,
            }
        ],
        "traceEvents": [*_steps(prediction, rank), *_calls(prediction, index, rank)],
    }


def _steps(prediction: Prediction, rank: int) -> Iterator[Event]:
    for number, (begin, end) in enumerate(pairwise(prediction.step_ends_ns)):
        yield _span("user_annotation", f"ProfilerStep#{number}", begin, end, rank, 0)


def _calls(prediction: Prediction, index: int, rank: int) -> Iterator[Event]:
    job, timeline = prediction.job, prediction.timeline
    rows, calls = job.ranks[index].rows, job.program.calls
    begin, end = (int(x) for x in job.program.rank_begin[index : index + 2])
    streams = _stream_numbers(calls.stream[begin:end])
    for call in range(begin, end):
        number = int(rows.definition[call - begin])
        if number <= 0 or timeline.return_ns[call] < 0:
            continue
        definition = job.captures[index].definition(number)
        op, issue = int(calls.op[call]), int(timeline.issue_ns[call])
        thread = int(calls.thread[call])
        if op in (Op.WORK, Op.COLLECTIVE):
            arguments = {"correlation": call, "stream": streams[int(calls.stream[call])]}
            yield _work(definition, timeline, call, arguments, rank)
        if op in (Op.WORK, Op.COLLECTIVE, *_SYNCS):
            started = issue - int(calls.host_ns[call])
            name = _call_name(definition, op)
            until = max(issue, int(timeline.return_ns[call]))
            yield _span("cuda_runtime", name, started, until, rank, thread, correlation=call)


def _work(
    definition: Definition, timeline: Any, call: int, arguments: dict[str, int], rank: int
) -> Event:
    name = name_of(definition)
    if definition.kind == Kind.COLLECTIVE:
        name = f"ncclDevKernel_{definition.op.removeprefix('nccl')}"
    category = _CATEGORIES.get(definition.kind, "kernel")
    begin, end = int(timeline.start_ns[call]), int(timeline.end_ns[call])
    return _span(category, name, begin, end, 0, arguments["stream"], device=0, **arguments) | {
        "pid": rank
    }


def _call_name(definition: Definition, op: int) -> str:
    if op in _SYNCS:
        return {Op.SYNC_STREAM: "cudaStreamSynchronize", Op.SYNC_EVENT: "cudaEventSynchronize"}.get(
            Op(op), "cudaDeviceSynchronize"
        )
    names = {Kind.COPY: "cudaMemcpyAsync", Kind.MEMSET: "cudaMemsetAsync"}
    return names.get(Kind(definition.kind), "cudaLaunchKernel")


def _stream_numbers(streams: Any) -> dict[int, int]:
    """Of the program, from 7 on."""
    return {int(s): _DEFAULT_STREAM + place for place, s in enumerate(np.unique(streams))}


def _span(
    category: str, name: str, begin: int, end: int, pid: int, tid: int, **arguments: int
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
