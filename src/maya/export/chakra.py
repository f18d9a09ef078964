"""The device's work as Chakra execution traces (MLCommons' et_def.proto), one file a rank.

Nodes depend on the work before them on their stream. What one stream waits for on another is in
their times only.
"""

from collections.abc import Iterator
from pathlib import Path

from maya.analyze.predicting import Prediction
from maya.export.files import written
from maya.export.protobuf import integer, message, text, varint
from maya.export.rank_spans import RankSpans, Work
from maya.export.spans import spans_of
from maya.trace.format import Kind
from maya.trace.problem import collective_bytes

_VERSION = "0.0.4"
_ID, _NAME, _TYPE, _DATA_DEPS, _START_US, _DURATION_US, _ATTR = 1, 2, 3, 5, 6, 7, 10  # of Node
_ATTR_NAME, _INT64, _BOOL = 1, 9, 27  # of AttributeProto
_COMP, _SEND, _RECV, _COLLECTIVE = 4, 5, 6, 7  # NodeType
_TYPES = {"ncclSend": _SEND, "ncclRecv": _RECV}
_COLLECTIVES = {
    "ncclAllReduce": 0,
    "ncclReduce": 1,
    "ncclAllGather": 2,
    "ncclGather": 3,
    "ncclScatter": 4,
    "ncclBroadcast": 5,
    "ncclBcast": 5,
    "ncclAlltoAll": 6,
    "ncclReduceScatter": 7,
}


def write_chakra(prediction: Prediction, directory: Path) -> list[Path]:
    """Write rank.{N}.et for every launched rank."""

    def write(spans: RankSpans, path: Path) -> None:
        path.write_bytes(b"".join(_delimited(part) for part in _messages(spans)))

    return written(spans_of(prediction), directory, "rank.{rank}.et", write)


def _delimited(data: bytes) -> bytes:
    return varint(len(data)) + data


def _messages(spans: RankSpans) -> Iterator[bytes]:
    yield text(1, _VERSION)  # GlobalMetadata
    last: dict[int, int] = {}  # stream -> node
    origin = min((work.begin_ns for work in spans.works), default=0)
    for number, work in enumerate(sorted(spans.works, key=lambda one: one.begin_ns), 1):
        yield _node(number, work, last.get(work.stream), origin)
        last[work.stream] = number


def _node(number: int, work: Work, before: int | None, origin: int) -> bytes:
    told = work.definition
    kind = _TYPES.get(told.op, _COLLECTIVE) if told.kind == Kind.COLLECTIVE else _COMP
    start, end = work.begin_ns - origin, work.end_ns - origin
    times = integer(_START_US, start // 1000) + integer(_DURATION_US, max(1, (end - start) // 1000))
    after = integer(_DATA_DEPS, before) if before is not None else b""
    attributes = _attribute("is_cpu_op", _BOOL, 0) + _attribute("stream", _INT64, work.stream)
    if told.kind == Kind.COLLECTIVE:
        attributes += _attribute("comm_size", _INT64, collective_bytes(told))
    if told.op in _COLLECTIVES:
        attributes += _attribute("comm_type", _INT64, _COLLECTIVES[told.op])
    if kind in (_SEND, _RECV):
        peer = "comm_dst" if kind == _SEND else "comm_src"
        attributes += _attribute(peer, _INT64, told.number("peer"))
    named = integer(_ID, number) + text(_NAME, work.name) + integer(_TYPE, kind)
    return named + after + times + attributes


def _attribute(name: str, kind: int, value: int) -> bytes:
    return message(_ATTR, text(_ATTR_NAME, name), integer(kind, value))
