"""The critical path: hand-computed, and never with a hole."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from test_simulate_properties import PLAIN, STEPS, TIMED, Step, build, length

from maya.simulator import Builder, Settings, run
from maya.simulator.path import Part, Segment, critical_path
from maya.simulator.program import Program, StreamFlag


def path_of(program: Program, how: Settings) -> list[Segment]:
    timeline = run(program, how)
    return critical_path(program, timeline, how, 0, int(timeline.end_ns.max()))


def told(path: list[Segment]) -> list[tuple[str, int, int]]:
    return [
        (segment.part.value, segment.call, segment.end_ns - segment.begin_ns) for segment in path
    ]


def test_device_bound_path_is_its_work() -> None:
    b = Builder()
    stream = b.stream()
    for duration in (100, 200, 300):
        b.work(stream, duration, host_ns=10)
    path = path_of(b.program(), Settings(launch_latency_ns=5, gap_ns=2))
    assert told(path) == [
        ("work", 2, 300),
        ("gap", 2, 2),
        ("work", 1, 200),
        ("gap", 1, 2),
        ("work", 0, 100),
        ("launch", 0, 5),
        ("host", 0, 10),
    ]


def test_host_bound_path_is_its_calls() -> None:
    b = Builder()
    stream = b.stream()
    for _ in range(3):
        b.work(stream, 10, host_ns=100)
    path = path_of(b.program(), Settings(launch_latency_ns=5))
    expected = [("work", 2, 10), ("launch", 2, 5), ("host", 2, 100), ("host", 1, 100)]
    assert told(path) == [*expected, ("host", 0, 100)]


def test_path_goes_through_an_event_to_another_stream() -> None:
    b = Builder()
    slow, fast = b.stream(), b.stream()
    b.work(slow, 500)
    event = b.event()
    b.record(slow, event)
    b.work(fast, 20)
    b.wait(fast, event)
    b.work(fast, 30)
    assert told(path_of(b.program(), Settings())) == [("work", 4, 30), ("work", 0, 500)]


def test_path_of_a_collective_goes_to_the_last_rank_to_arrive() -> None:
    b = Builder(2)
    first, second = b.stream(0), b.stream(1)
    moved = b.transfer(50, 2)
    b.work(first, 10)
    b.collective(first, moved)
    b.work(second, 400)
    b.collective(second, moved)
    b.work(first, 7)
    assert told(path_of(b.program(), Settings())) == [
        ("work", 2, 7),
        ("transfer", 1, 50),
        ("work", 3, 400),
    ]


def test_path_through_a_synchronising_call() -> None:
    b = Builder()
    stream = b.stream()
    b.work(stream, 100, host_ns=1)
    b.sync_stream(stream, host_ns=2)
    b.work(stream, 10, host_ns=30)
    parts = told(path_of(b.program(), Settings()))
    assert parts == [("work", 2, 10), ("host", 2, 30), ("work", 0, 100), ("host", 0, 1)]


def test_path_of_a_full_queue_is_the_device() -> None:
    b = Builder()
    stream, other = b.stream(), b.stream()
    for _ in range(4):
        b.work(stream, 100)
    b.work(other, 5, host_ns=1)
    path = path_of(b.program(), Settings(queue_limit=1))
    assert {segment.part for segment in path} == {Part.WORK}
    assert sum(segment.end_ns - segment.begin_ns for segment in path) == 400


def test_path_through_the_legacy_stream() -> None:
    b = Builder()
    legacy, blocking = b.legacy(), b.blocking()
    b.work(blocking, 300)
    b.work(legacy, 20)
    assert told(path_of(b.program(), Settings())) == [("work", 1, 20), ("work", 0, 300)]


def test_path_of_a_window_is_cut_at_its_beginning() -> None:
    b = Builder()
    stream = b.stream()
    b.work(stream, 100)
    b.work(stream, 100)
    program, how = b.program(), Settings()
    path = critical_path(program, run(program, how), how, 60, 200)
    assert told(path) == [("work", 1, 100), ("work", 0, 40)]


def with_flags(program: Program, flags: Sequence[int]) -> Program:
    """The three streams of each rank made legacy, blocking, or neither."""
    made = np.resize(np.array(flags, np.uint8), len(program.streams.flags))
    return replace(program, streams=replace(program.streams, flags=made))


@pytest.mark.parametrize("flags", [(0,), (StreamFlag.LEGACY, StreamFlag.BLOCKS, 0)])
@pytest.mark.parametrize("how", [PLAIN, TIMED, Settings(7, 3, queue_limit=2)])
def test_path_has_no_holes_and_nothing_unexplained(how: Settings, flags: Sequence[int]) -> None:
    @given(STEPS)
    @settings(max_examples=150, deadline=None)
    def check(steps: list[Step]) -> None:
        program = with_flags(build(steps), flags)
        timeline = run(program, how)
        end = int(timeline.end_ns.max(initial=0))
        path = critical_path(program, timeline, how, 0, end)
        assert sum(segment.end_ns - segment.begin_ns for segment in path) == end
        assert all(later.begin_ns == earlier.end_ns for later, earlier in pairwise(path))
        assert all(segment.part is not Part.UNKNOWN for segment in path)
        assert end <= length(timeline)

    check()
