"""The simulated timeline as the SQLite file of `nsys export`, for recipes that query it.

Tables and columns are those that public recipes use; what a simulation does not know is not there.
"""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from maya.analyze.predicting import Prediction
from maya.export.files import written
from maya.export.rank_spans import RankSpans, Work
from maya.export.spans import spans_of
from maya.hardware import Gpu
from maya.trace.format import Kind

_ROW = "start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, "
_ROW += "correlationId INTEGER, globalPid INTEGER"
_TABLES = {
    "StringIds": "id INTEGER PRIMARY KEY, value TEXT",
    "CUPTI_ACTIVITY_KIND_KERNEL": f"{_ROW}, demangledName INTEGER, shortName INTEGER, "
    "mangledName INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, "
    "blockY INTEGER, blockZ INTEGER, registersPerThread INTEGER, dynamicSharedMemory INTEGER",
    "CUPTI_ACTIVITY_KIND_MEMCPY": f"{_ROW}, bytes INTEGER, copyKind INTEGER",
    "CUPTI_ACTIVITY_KIND_MEMSET": f"{_ROW}, bytes INTEGER, value INTEGER",
    "CUPTI_ACTIVITY_KIND_RUNTIME": "start INTEGER, end INTEGER, eventClass INTEGER, "
    "globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER",
    "NVTX_EVENTS": "start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER",
    "TARGET_INFO_GPU": "id INTEGER, name TEXT, smCount INTEGER, totalMemory INTEGER, "
    "memoryBandwidth INTEGER, computeMajor INTEGER, computeMinor INTEGER",
    "ENUM_CUDA_MEMCPY_OPER": "id INTEGER, name TEXT, label TEXT",
}
_COPY_KINDS = {
    1: ("CUDA_MEMCPY_KIND_HTOD", "Host-to-Device"),
    2: ("CUDA_MEMCPY_KIND_DTOH", "Device-to-Host"),
    8: ("CUDA_MEMCPY_KIND_DTOD", "Device-to-Device"),
    9: ("CUDA_MEMCPY_KIND_HTOH", "Host-to-Host"),
}
_KIND_OF_DIRECTION = {0: 9, 1: 1, 2: 2, 3: 8}  # CUDA's number -> CUPTI's
_CONTEXT, _RUNTIME_CLASS, _RANGE = 1, 0, 59  # 59: a pushed and popped NVTX range


def write_sqlite(prediction: Prediction, directory: Path) -> list[Path]:
    """Write rank{N}.sqlite for every launched rank."""

    def write(spans: RankSpans, path: Path) -> None:
        path.unlink(missing_ok=True)
        base = sqlite3.connect(path)
        try:
            with base:
                _fill(base, spans, prediction.cluster.gpu)
        finally:
            base.close()

    return written(spans_of(prediction), directory, "rank{rank}.sqlite", write)


def _fill(base: sqlite3.Connection, spans: RankSpans, gpu: Gpu) -> None:
    for name, columns in _TABLES.items():
        base.execute(f"CREATE TABLE {name} ({columns})")
    texts: dict[str, int] = {}
    for table, rows in (
        ("CUPTI_ACTIVITY_KIND_KERNEL", _kernels(spans, texts)),
        ("CUPTI_ACTIVITY_KIND_MEMCPY", _copies(spans)),
        ("CUPTI_ACTIVITY_KIND_MEMSET", _fills(spans)),
        ("CUPTI_ACTIVITY_KIND_RUNTIME", _calls(spans, texts)),
        ("NVTX_EVENTS", _steps(spans)),
        ("TARGET_INFO_GPU", iter([_gpu(spans, gpu)])),
        ("ENUM_CUDA_MEMCPY_OPER", ((n, *names) for n, names in _COPY_KINDS.items())),
        ("StringIds", _texts(texts)),
    ):
        marks = ", ".join("?" * _TABLES[table].count(",") + "?")
        base.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)


def _kernels(spans: RankSpans, texts: dict[str, int]) -> Iterator[tuple[int, ...]]:
    for work in spans.works:
        told = work.definition
        if told.kind in (Kind.COPY, Kind.MEMSET):
            continue
        name = texts.setdefault(work.name, len(texts) + 1)
        mangled = texts.setdefault(told.text("kernel", work.name), len(texts) + 1)
        shape = (told.number(f"{s}_{axis}", 1) for s in ("grid", "block") for axis in "xyz")
        sizes = told.number("registers"), told.number("shared_bytes")
        yield (*_device_row(work, spans), name, name, mangled, *shape, *sizes)


def _copies(spans: RankSpans) -> Iterator[tuple[int, ...]]:
    for work in spans.works:
        if work.definition.kind == Kind.COPY:
            kind = _KIND_OF_DIRECTION.get(work.definition.number("direction"), 0)
            yield (*_device_row(work, spans), work.definition.number("bytes"), kind)


def _fills(spans: RankSpans) -> Iterator[tuple[int, ...]]:
    for work in spans.works:
        if work.definition.kind == Kind.MEMSET:
            told = work.definition
            yield (*_device_row(work, spans), told.number("bytes"), told.number("value"))


def _device_row(work: Work, spans: RankSpans) -> tuple[int, ...]:
    where = spans.device, _CONTEXT, work.stream, work.correlation, _process(spans)
    return work.begin_ns, work.end_ns, *where


def _calls(spans: RankSpans, texts: dict[str, int]) -> Iterator[tuple[int, ...]]:
    for call in spans.calls:
        name = texts.setdefault(f"{call.name}_v3020", len(texts) + 1)  # with a version, as CUPTI's
        thread = _process(spans) + call.thread
        yield call.begin_ns, call.end_ns, _RUNTIME_CLASS, thread, call.correlation, name, 0


def _steps(spans: RankSpans) -> Iterator[tuple[int | str, ...]]:
    for number, (begin, end) in enumerate(spans.steps):
        yield begin, end, _RANGE, f"step {number}", _process(spans)


def _gpu(spans: RankSpans, gpu: Gpu) -> tuple[int | str, ...]:
    memory = gpu.total_memory_bytes, int(gpu.memory_bandwidth_bytes_per_s)
    return spans.device, gpu.name, gpu.sm_count, *memory, gpu.major, gpu.minor


def _texts(texts: dict[str, int]) -> Iterator[tuple[int, str]]:
    """Asked for last, when all are known."""
    for value, number in texts.items():
        yield number, value


def _process(spans: RankSpans) -> int:
    """nsys keeps the process in the upper bits of one number."""
    return (spans.rank + 1) << 24
