"""The simulated timeline in Perfetto's own format; field numbers are those of its .proto files."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from maya.analyze.predicting import Prediction
from maya.export.files import written
from maya.export.protobuf import fixed64, integer, message, text
from maya.export.rank_spans import RankSpans
from maya.export.spans import spans_of

_PACKET = 1  # of Trace
_TIMESTAMP, _SEQUENCE, _TRACK_EVENT, _TRACK_DESCRIPTOR = 8, 10, 11, 60  # of TracePacket
_UUID, _NAME, _PROCESS, _PARENT = 1, 2, 3, 5  # of TrackDescriptor
_PID, _PROCESS_NAME = 1, 6  # of ProcessDescriptor
_TYPE, _TRACK, _CATEGORY, _EVENT_NAME, _FLOWS = 9, 11, 22, 23, 47  # of TrackEvent
_BEGIN, _END = 1, 2
_HOST, _DEVICE, _STEPS = 1, 2, 3  # tracks; streams and threads are below these


@dataclass(slots=True)
class _Tracks:
    """Numbers of tracks below others, in the order in which they are met."""

    numbers: dict[tuple[int, int], int] = field(default_factory=dict)

    def of(self, parent: int, own: int) -> int:
        return self.numbers.setdefault((parent, own), len(self.numbers) + 10)


def write_perfetto(prediction: Prediction, directory: Path) -> list[Path]:
    """Write rank{N}.perfetto-trace for every launched rank."""

    def write(spans: RankSpans, path: Path) -> None:
        path.write_bytes(b"".join(_packets(spans)))

    return written(spans_of(prediction), directory, "rank{rank}.perfetto-trace", write)


def _packets(spans: RankSpans) -> Iterator[bytes]:
    tracks = _Tracks()
    timed = sorted(_slices(spans, tracks), key=lambda one: one[:2])
    yield _process(_HOST, f"rank {spans.rank}: host", spans.rank * 2 + 1)
    yield _process(_DEVICE, f"rank {spans.rank}: GPU {spans.device}", spans.rank * 2 + 2)
    yield _track(_STEPS, _HOST, "steps")
    for (parent, own), number in tracks.numbers.items():
        yield _track(number, parent, f"{'stream' if parent == _DEVICE else 'thread'} {own}")
    for at_ns, _, event in timed:
        yield message(_PACKET, integer(_TIMESTAMP, at_ns), integer(_SEQUENCE, 1), event)


def _slices(spans: RankSpans, tracks: _Tracks) -> Iterator[tuple[int, int, bytes]]:
    """When, what goes first at the same moment (ends), and the event."""
    origin = min((call.begin_ns for call in spans.calls), default=0)  # none may be negative
    asked = {work.correlation for work in spans.works}
    for number, (begin, end) in enumerate(spans.steps):
        yield from _slice(_STEPS, f"step {number}", "step", begin - origin, end - origin)
    for call in spans.calls:
        flow = call.correlation if call.correlation in asked else None
        times = call.begin_ns - origin, call.end_ns - origin
        yield from _slice(tracks.of(_HOST, call.thread), call.name, "cuda_runtime", *times, flow)
    for work in spans.works:
        times = work.begin_ns - origin, work.end_ns - origin
        track = tracks.of(_DEVICE, work.stream)
        yield from _slice(track, work.name, "kernel", *times, work.correlation)


def _slice(
    track: int, name: str, category: str, begin: int, end: int, flow: int | None = None
) -> Iterator[tuple[int, int, bytes]]:
    if end <= begin:  # its end would come before its begin
        return
    where = integer(_TRACK, track)
    arrow = fixed64(_FLOWS, flow) if flow is not None else b""
    told = text(_CATEGORY, category) + text(_EVENT_NAME, name) + arrow
    yield begin, 1, message(_TRACK_EVENT, integer(_TYPE, _BEGIN), where, told)
    yield end, 0, message(_TRACK_EVENT, integer(_TYPE, _END), where)


def _process(number: int, name: str, pid: int) -> bytes:
    process = message(_PROCESS, integer(_PID, pid), text(_PROCESS_NAME, name))
    return message(_PACKET, message(_TRACK_DESCRIPTOR, integer(_UUID, number), process))


def _track(number: int, parent: int, name: str) -> bytes:
    told = integer(_UUID, number) + text(_NAME, name) + integer(_PARENT, parent)
    return message(_PACKET, message(_TRACK_DESCRIPTOR, told))
