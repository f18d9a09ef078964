"""Timelines computed by hand: streams and events. Times are in nanoseconds."""

from itertools import accumulate

import pytest
from timelines import PLAIN, TIMED, spans

from maya.errors import MayaError
from maya.simulator import Builder, Settings, run
from maya.simulator.program import StreamFlag


def test_work_of_a_stream_runs_in_order(settings: Settings) -> None:
    b = Builder()
    s = b.stream()
    b.work(s, 100, 10)
    b.work(s, 50, 10)
    assert spans(run(b.program(), settings), 0, 1) == [(10, 110), (110, 160)]


def test_device_waits_for_a_slow_host(settings: Settings) -> None:
    b = Builder()
    s = b.stream()
    b.work(s, 5, 100)
    b.work(s, 5, 100)
    assert spans(run(b.program(), settings), 0, 1) == [(100, 105), (200, 205)]


def test_streams_overlap_when_kernels_leave_room() -> None:
    b = Builder()
    s, t = b.stream(), b.stream()
    b.work(s, 100, share=512)
    b.work(t, 100, share=512)
    assert spans(run(b.program(), TIMED), 0, 1) == [(0, 100), (0, 100)]


def test_copies_do_not_take_the_device() -> None:
    b = Builder()
    s, t = b.stream(), b.stream()
    b.work(s, 100)
    b.work(t, 100, share=0)
    assert spans(run(b.program(), TIMED), 0, 1) == [(0, 100), (0, 100)]


def test_two_full_kernels_share_the_device() -> None:
    b = Builder()
    s, t = b.stream(), b.stream()
    b.work(s, 100)
    b.work(t, 50)
    # Half speed each: the short one ends at 100 with 50 of the other left, which then runs alone.
    assert spans(run(b.program(), TIMED), 0, 1) == [(0, 150), (0, 100)]


def test_kernel_that_starts_later_shares_only_the_rest() -> None:
    b = Builder()
    s, t = b.stream(), b.stream()
    b.work(s, 100)
    b.work(t, 100, 60)
    # 60 alone, 40 left at half speed until 140; then the other has 60 left and runs alone.
    assert spans(run(b.program(), TIMED), 0, 1) == [(0, 140), (60, 200)]


def test_launch_latency_delays_the_first_start_only(settings: Settings) -> None:
    b = Builder()
    s = b.stream()
    b.work(s, 100, 10)
    b.work(s, 100, 10)
    slow = Settings(launch_latency_ns=30, share_links=settings.share_links, share_devices=False)
    assert spans(run(b.program(), slow), 0, 1) == [(40, 140), (140, 240)]


def test_gap_between_two_pieces_of_work(settings: Settings) -> None:
    b = Builder()
    s = b.stream()
    b.work(s, 100)
    b.work(s, 100)
    gap = Settings(gap_ns=7, share_devices=settings.share_devices)
    assert spans(run(b.program(), gap), 0, 1) == [(0, 100), (107, 207)]


def test_gap_does_not_delay_an_event(settings: Settings) -> None:
    b = Builder()
    s, t, e = b.stream(), b.stream(), b.event()
    b.work(s, 100)
    b.record(s, e)
    b.wait(t, e)
    b.work(t, 10)
    gap = Settings(gap_ns=7, share_devices=settings.share_devices)
    assert spans(run(b.program(), gap), 1, 3) == [(100, 100), (100, 110)]


def test_stream_waits_for_an_event(settings: Settings) -> None:
    b = Builder()
    s, t, e = b.stream(), b.stream(), b.event()
    b.work(s, 100, 1)
    b.record(s, e, 1)
    b.wait(t, e, 1)
    b.work(t, 10, 1)
    assert spans(run(b.program(), settings), 3) == [(101, 111)]


def test_event_covers_only_what_was_before_it(settings: Settings) -> None:
    b = Builder()
    s, t, e = b.stream(), b.stream(), b.event()
    b.work(s, 100, share=512)
    b.record(s, e)
    b.work(s, 1000, share=512)
    b.wait(t, e)
    b.work(t, 10, share=512)
    assert spans(run(b.program(), settings), 4) == [(100, 110)]


def test_versions_of_an_event_are_told_apart(settings: Settings) -> None:
    b = Builder()
    s, t = b.stream(), b.stream()
    first, second = b.event(), b.event()
    b.work(s, 100, share=512)
    b.record(s, first)
    b.wait(t, first)
    b.work(s, 100, share=512)
    b.record(s, second)
    b.work(t, 10, share=512)
    b.wait(t, second)
    b.work(t, 10, share=512)
    assert spans(run(b.program(), settings), 5, 7) == [(100, 110), (200, 210)]


def test_waiting_twice_for_one_event(settings: Settings) -> None:
    b = Builder()
    s, e = b.stream(), b.event()
    others = [b.stream(), b.stream()]
    b.work(s, 50)
    b.record(s, e)
    for t in others:
        b.wait(t, e)
        b.work(t, 10, share=512)
    assert spans(run(b.program(), settings), 3, 5) == [(50, 60), (50, 60)]


def test_legacy_stream_waits_for_blocking_streams(settings: Settings) -> None:
    b = Builder()
    legacy, s = b.legacy(), b.blocking()
    b.work(s, 100)
    b.work(legacy, 10)
    assert spans(run(b.program(), settings), 0, 1) == [(0, 100), (100, 110)]


def test_blocking_streams_wait_for_the_legacy_stream(settings: Settings) -> None:
    b = Builder()
    legacy, s, t = b.legacy(), b.blocking(), b.blocking()
    b.work(legacy, 100)
    b.work(s, 10, share=512)
    b.work(t, 10, share=512)
    assert spans(run(b.program(), settings), 1, 2) == [(100, 110), (100, 110)]


def test_legacy_stream_is_a_barrier_between_blocking_streams(settings: Settings) -> None:
    b = Builder()
    legacy, s, t = b.legacy(), b.blocking(), b.blocking()
    b.work(s, 100)
    b.work(legacy, 10)
    b.work(t, 10)
    assert spans(run(b.program(), settings), 2) == [(110, 120)]


def test_non_blocking_streams_ignore_the_legacy_stream(settings: Settings) -> None:
    b = Builder()
    legacy, s = b.legacy(), b.stream()
    b.work(legacy, 100, share=1)
    b.work(s, 10, share=1)
    b.work(legacy, 5, share=1)
    assert spans(run(b.program(), settings), 1, 2) == [(0, 10), (100, 105)]


def test_malformed_program_is_refused() -> None:
    b = Builder()
    b.work(b.stream(), -5)
    with pytest.raises(MayaError, match="malformed"):
        run(b.program(), PLAIN)


def test_nothing_takes_no_time(settings: Settings) -> None:
    assert len(run(Builder().program(), settings).start_ns) == 0


def test_kernel_of_high_priority_comes_first() -> None:
    """It gets all but the sixteenth that resident blocks keep: 1600 ns at 15/16."""
    b = Builder()
    low, high = b.stream(), b.stream(flags=StreamFlag.HIGH_PRIORITY)
    b.work(low, 1600)
    b.work(high, 1500)
    timeline = run(b.program(), Settings(share_devices=True))
    assert timeline.end_ns[1] == 1600
    # 100 ns of the first are done by then; the rest runs alone.
    assert timeline.end_ns[0] == 3100


def test_priority_does_not_matter_where_there_is_room() -> None:
    b = Builder()
    low, high = b.stream(), b.stream(flags=StreamFlag.HIGH_PRIORITY)
    b.work(low, 1000, share=300)
    b.work(high, 1000, share=700)
    timeline = run(b.program(), Settings(share_devices=True))
    assert timeline.end_ns.tolist() == [1000, 1000]


def test_stream_of_high_priority_does_not_wait_for_the_legacy_stream() -> None:
    b = Builder()
    legacy, high = b.legacy(), b.stream(flags=StreamFlag.HIGH_PRIORITY)
    b.work(legacy, 500)
    b.work(high, 20)
    timeline = run(b.program(), Settings())
    assert timeline.end_ns.tolist() == [500, 20]


def test_stream_that_never_rests_loses_nothing(settings: Settings) -> None:
    b = Builder()
    stream, count = b.stream(), 10_000
    for number in range(count):
        b.work(stream, 10 + number % 3)
    ends = run(b.program(), settings).end_ns
    assert ends.tolist() == list(accumulate(10 + number % 3 for number in range(count)))
