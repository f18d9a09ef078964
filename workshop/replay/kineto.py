"""Replays profiler traces: true durations and host gaps in, step times out."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import mean, median

import polars as pl

from maya.simulator.builder import Builder
from maya.simulator.engine import run
from maya.simulator.program import Program, Settings
from workshop.measurements.raw import read_trace

_COLUMNS = ("start_ns", "end_ns", "name", "lane", "correlation")
_USUAL_LATENCY_NS = 5_000
_CROWD = 800  # launches that wait; the queue holds 1,024
_CLOSE_NS = 8_000  # a start this much later than it could be waited for something
_WAKE_NS = 300_000  # and what it waited for ended at most this long before
_TAIL_NS = 8_000  # or as much later: blocks of the next kernel start while the last ones run out


@dataclass(frozen=True, slots=True)
class _Span:
    start_ns: int
    end_ns: int
    name: str
    lane: str  # thread or stream
    correlation: int


@dataclass(frozen=True, slots=True)
class Replay:
    """Steps of one trace, in nanoseconds."""

    name: str
    real_ns: tuple[int, ...]
    simulated_ns: tuple[int, ...]
    operations: int

    @property
    def errors(self) -> list[float]:
        """Relative error of each step."""
        pairs = zip(self.simulated_ns, self.real_ns, strict=True)
        return [simulated / real - 1 for simulated, real in pairs]


def replay_file(path: Path) -> Replay:
    """A trace as the profiler wrote it."""
    return replay(path.name, read_trace(path))


def replay(name: str, spans: pl.DataFrame) -> Replay:
    """Simulate a trace and measure the same steps in both."""
    calls, work = _spans(spans, "call"), _spans(spans, "work")
    steps = [span.start_ns for span in _spans(spans, "step")]
    program, order = _program(calls, work)
    timeline = run(program, _settings(calls, work))
    started = {span.correlation: int(timeline.start_ns[call]) for span, call in order}
    ended = int(timeline.end_ns.max())
    marks = _marks(calls, work, steps)
    real = [*(start for start, _ in marks), max(span.end_ns for span in work)]
    simulated = [*(started[correlation] for _, correlation in marks), ended]
    return Replay(
        name,
        tuple(b - a for a, b in pairwise(real)),
        tuple(b - a for a, b in pairwise(simulated)),
        len(work),
    )


def _spans(spans: pl.DataFrame, kind: str) -> list[_Span]:
    """Spans of one kind, by start."""
    rows = spans.filter(pl.col("kind") == kind).select(*_COLUMNS).iter_rows()
    return sorted((_Span(*row) for row in rows), key=_by_start)


def _by_start(span: _Span) -> int:
    return span.start_ns


def _marks(calls: list[_Span], work: list[_Span], steps: list[int]) -> list[tuple[int, int]]:
    """The first work that each step launches on the busiest stream: its start and name."""
    start_of = {}
    busiest = Counter(span.lane for span in work).most_common(1)[0][0]
    for span in reversed([span for span in work if span.lane == busiest]):
        start_of[span.correlation] = span.start_ns
    launches = [call for call in calls if call.correlation in start_of]
    at = [call.start_ns for call in launches]
    firsts = [launches[i] for step in steps if (i := bisect_left(at, step)) < len(launches)]
    chosen = firsts or launches[:1]
    return [(start_of[call.correlation], call.correlation) for call in chosen]


def _program(calls: list[_Span], work: list[_Span]) -> tuple[Program, list[tuple[_Span, int]]]:
    builder = Builder()
    streams = {lane: builder.stream() for lane in dict.fromkeys(span.lane for span in work)}
    by_call: dict[int, list[_Span]] = defaultdict(list)
    for span in work:
        by_call[span.correlation].append(span)
    waits = _hidden_waits(calls, work)
    sources = {id(source) for source in waits.values()}
    events: dict[int, int] = {}
    threads = {lane: i for i, lane in enumerate(dict.fromkeys(call.lane for call in calls))}
    usual_ns = _usual_ns(calls)
    crowded = _crowding(calls, by_call)
    order: list[tuple[_Span, int]] = []
    last_end = calls[0].start_ns
    for lane, busy_ns in _backlog(calls, work).items():
        builder.work(streams[lane], busy_ns, unqueued=True)
    for call in calls:
        gap_ns = max(0, call.start_ns - last_end)
        last_end = max(last_end, call.end_ns)
        thread = threads[call.lane]
        own = by_call.get(call.correlation, [])
        if not own:
            waited_for = _awaited(call, work)
            if waited_for is None:
                builder.host(gap_ns + call.end_ns - call.start_ns, thread=thread)
            else:
                builder.sync_stream(streams[waited_for], gap_ns, thread=thread)
            continue
        blocking = "Pageable" in own[-1].name and call.end_ns >= own[-1].end_ns
        own_ns = call.end_ns - call.start_ns
        waited = blocking or crowded(call)
        cost_ns = gap_ns + (min(own_ns, usual_ns[call.name]) if waited else own_ns)
        for index, span in enumerate(own):
            stream = streams[span.lane]
            if (source := waits.get(id(span))) is not None and id(source) in events:
                builder.wait(stream, events[id(source)])
            number = builder.work(
                stream,
                span.end_ns - span.start_ns,
                0 if index else cost_ns,
                thread=thread,
                blocking=blocking and index == len(own) - 1,
                unqueued=index > 0,
            )
            if not index:
                order.append((span, number))
            if id(span) in sources:
                events[id(span)] = builder.event()
                builder.record(stream, events[id(span)])
    return builder.program(), order


def _backlog(calls: list[_Span], work: list[_Span]) -> dict[str, int]:
    """Work launched before the trace began: how long it keeps each stream busy."""
    known = {call.correlation for call in calls}
    begin = calls[0].start_ns
    busy: dict[str, int] = {}
    for span in work:
        if span.correlation not in known:
            busy[span.lane] = max(busy.get(span.lane, 0), span.end_ns - begin)
    return {lane: max(0, time) for lane, time in busy.items()}


def _awaited(call: _Span, work: list[_Span]) -> str | None:
    """The stream whose work ended when a synchronising call did; None if it did not wait."""
    if call.end_ns - call.start_ns < 2 * _CLOSE_NS:
        return None
    last = bisect_left(work, call.end_ns, key=_by_start)
    during = [span for span in work[max(0, last - 64) : last] if span.end_ns <= call.end_ns]
    return max(during, key=lambda span: span.end_ns).lane if during else None


def _crowding(calls: list[_Span], by_call: dict[int, list[_Span]]) -> Callable[[_Span], bool]:
    """Whether the launch queue was about full when a call was made, so that it had to wait."""
    launches = sorted(call.start_ns for call in calls if call.correlation in by_call)
    starts = sorted(own[0].start_ns for own in by_call.values())

    def crowded(call: _Span) -> bool:
        waiting = bisect_left(launches, call.start_ns) - bisect_left(starts, call.start_ns)
        return waiting > _CROWD

    return crowded


def _usual_ns(calls: list[_Span]) -> dict[str, int]:
    """What a call takes that does not wait for room in the launch queue."""
    times: dict[str, list[int]] = defaultdict(list)
    for call in calls:
        times[call.name].append(call.end_ns - call.start_ns)
    return {name: round(median(own)) for name, own in times.items()}


def _hidden_waits(calls: list[_Span], work: list[_Span]) -> dict[int, _Span]:
    """Traces do not say which event a stream waits for. Work that began neither when it was
    launched nor when its stream was free waited for the work elsewhere that ended then: for an
    event, or for room on the device."""
    launched = {call.correlation: call.end_ns for call in calls}
    found: dict[int, _Span] = {}
    previous: dict[str, int] = {}
    ended = sorted(work, key=lambda span: span.end_ns)
    ends = [span.end_ns for span in ended]
    for span in work:
        free = max(previous.get(span.lane, 0), launched.get(span.correlation, 0))
        previous[span.lane] = span.end_ns
        if span.start_ns <= free + _CLOSE_NS:
            continue
        first = bisect_left(ends, span.start_ns - _WAKE_NS)
        last = bisect_left(ends, span.start_ns + _TAIL_NS)
        begun = launched.get(span.correlation, 0)
        others = [
            source
            for source in ended[first:last]
            if source.lane != span.lane
            and launched.get(source.correlation, 0) < begun
            and source.start_ns < span.start_ns
        ]
        if others:
            found[id(span)] = min(others, key=lambda s: abs(s.end_ns - span.start_ns))
    return found


def _settings(calls: list[_Span], work: list[_Span]) -> Settings:
    launched = {call.correlation: call.end_ns for call in calls}
    delays = sorted(
        span.start_ns - launched[span.correlation] for span in work if span.correlation in launched
    )
    # Where the host is always ahead, delays tell of the queue and not of the launch.
    latency = min(max(0, delays[len(delays) // 20]), _USUAL_LATENCY_NS)
    gaps = _gaps(work, launched)
    return Settings(launch_latency_ns=latency, gap_ns=round(mean(gaps)) if gaps else 0)


def _gaps(work: list[_Span], launched: dict[int, int]) -> list[int]:
    """Between pieces of work of a stream where the second was launched before the first ended."""
    gaps = []
    previous: dict[str, int] = {}
    for span in work:
        end_ns = previous.get(span.lane)
        previous[span.lane] = span.end_ns
        if end_ns is None or launched.get(span.correlation, 0) >= end_ns:
            continue
        if 0 <= span.start_ns - end_ns < _CLOSE_NS:
            gaps.append(span.start_ns - end_ns)
    return gaps
