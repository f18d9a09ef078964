"""Timelines computed by hand: streams, events, host. Times are in nanoseconds."""

from itertools import accumulate

import pytest

from maya.errors import MayaError
from maya.simulator import Builder, DeadlockError, Settings, run
from maya.simulator.program import StreamFlag, Timeline

PLAIN = Settings()
TIMED = Settings(share_links=True, share_devices=True)


@pytest.fixture(params=[PLAIN, TIMED], ids=["plain", "timed"])
def settings(request: pytest.FixtureRequest) -> Settings:
    """Both ways through the engine must agree where nothing is shared."""
    chosen: Settings = request.param
    return chosen


def spans(timeline: Timeline, *calls: int) -> list[tuple[int, int]]:
    return [(int(timeline.start_ns[c]), int(timeline.end_ns[c])) for c in calls]


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


def test_sync_stream_blocks_the_host(settings: Settings) -> None:
    b = Builder()
    s = b.stream()
    b.work(s, 100, 10)
    b.sync_stream(s, 5)
    b.work(s, 10, 20)
    timeline = run(b.program(), settings)
    assert timeline.return_ns.tolist() == [10, 110, 130]
    assert spans(timeline, 2) == [(130, 140)]


def test_sync_of_an_idle_stream_costs_only_its_call(settings: Settings) -> None:
    b = Builder()
    s = b.stream()
    b.work(s, 10, 1)
    b.host(500)
    b.sync_stream(s, 2)
    assert run(b.program(), settings).return_ns[2] == 503


def test_sync_stream_ignores_other_streams(settings: Settings) -> None:
    b = Builder()
    s, t = b.stream(), b.stream()
    b.work(s, 1000, share=1)
    b.work(t, 10, share=1)
    b.sync_stream(t)
    assert run(b.program(), settings).return_ns[2] == 10


def test_sync_device_waits_for_every_stream(settings: Settings) -> None:
    b = Builder()
    s, t = b.stream(), b.stream()
    b.work(s, 300, share=1)
    b.work(t, 10, share=1)
    b.sync_device()
    assert run(b.program(), settings).return_ns[2] == 300


def test_sync_event_returns_when_the_event_is_reached(settings: Settings) -> None:
    b = Builder()
    s, e = b.stream(), b.event()
    b.work(s, 100)
    b.record(s, e)
    b.work(s, 900)
    b.sync_event(e)
    assert run(b.program(), settings).return_ns[3] == 100


def test_blocking_copy_holds_the_host(settings: Settings) -> None:
    b = Builder()
    s = b.stream()
    b.work(s, 100, 10)
    b.work(s, 50, 10, blocking=True, share=0)
    b.host(5)
    assert run(b.program(), settings).return_ns.tolist() == [10, 160, 165]


def test_launch_queue_holds_the_host_until_work_starts(settings: Settings) -> None:
    b = Builder()
    s = b.stream()
    for _ in range(4):
        b.work(s, 100, 1)
    two = Settings(queue_limit=2, share_devices=settings.share_devices)
    # The third launch waits for the first to start (1), the fourth for the second (101).
    assert run(b.program(), two).return_ns.tolist() == [1, 2, 3, 101]


def test_launch_queue_of_another_stream_is_free(settings: Settings) -> None:
    b = Builder()
    s, t = b.stream(), b.stream()
    b.work(s, 100, 1, share=1)
    b.work(s, 100, 1, share=1)
    b.work(t, 100, 1, share=1)
    one = Settings(queue_limit=1, share_devices=settings.share_devices)
    assert run(b.program(), one).return_ns.tolist() == [1, 2, 3]


def test_host_woken_late_still_records_what_its_stream_waits_for(settings: Settings) -> None:
    b = Builder(2)
    s, side, peer = b.stream(0), b.stream(0), b.stream(1)
    meeting, event = b.transfer(10, 2), b.event()
    b.collective(s, meeting)
    b.work(s, 100)
    b.wait(s, event)
    for _ in range(8):
        b.work(s, 1)
    b.record(side, event)
    b.collective(peer, meeting)
    eight = Settings(queue_limit=8, share_devices=settings.share_devices)
    # The last launch waits for the first work to start, at 10; the event is recorded then.
    timeline = run(b.program(), eight)
    assert timeline.return_ns[10:12].tolist() == [10, 10]
    assert timeline.end_ns[10] == 118


def test_nodes_of_a_graph_take_no_place_in_the_queue(settings: Settings) -> None:
    b = Builder()
    s = b.stream()
    for _ in range(5):
        b.work(s, 100, 0, unqueued=True)
    b.host(1)
    one = Settings(queue_limit=1, share_devices=settings.share_devices)
    assert run(b.program(), one).return_ns[-1] == 1


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


def test_second_thread_waits_for_what_it_depends_on(settings: Settings) -> None:
    b = Builder()
    s = b.stream()
    b.work(s, 10, 50)
    b.work(s, 10, 20, thread=1)  # after the call before it
    assert run(b.program(), settings).return_ns.tolist() == [50, 70]


def test_independent_threads_compute_at_the_same_time(settings: Settings) -> None:
    b = Builder()
    s = b.stream()
    b.work(s, 10, 50)
    b.work(s, 10, 60, thread=1, after=-1)
    assert run(b.program(), settings).return_ns.tolist() == [50, 60]


def test_recorded_order_is_kept_between_threads(settings: Settings) -> None:
    b = Builder()
    s = b.stream()
    b.work(s, 10, 50)
    b.work(s, 10, 20, thread=1, after=-1)
    assert run(b.program(), settings).return_ns.tolist() == [50, 50]


def test_blocked_thread_does_not_stop_an_independent_one(settings: Settings) -> None:
    b = Builder()
    s, t = b.stream(), b.stream()
    b.work(s, 100, share=1)
    b.sync_stream(s)
    b.work(t, 10, 5, thread=1, after=0, share=1)
    b.work(t, 10, 5, thread=0, share=1)
    assert run(b.program(), settings).return_ns.tolist() == [0, 100, 5, 105]


def test_thread_woken_by_a_blocked_one_waits_for_it(settings: Settings) -> None:
    b = Builder()
    s, t = b.stream(), b.stream()
    b.work(s, 100, share=1)
    b.sync_stream(s)
    b.work(t, 10, 5, thread=1, share=1)
    assert run(b.program(), settings).return_ns.tolist() == [0, 100, 105]


def test_event_never_recorded_is_a_deadlock(settings: Settings) -> None:
    b = Builder()
    s, e = b.stream(), b.event()
    b.wait(s, e)
    b.work(s, 10)
    with pytest.raises(DeadlockError, match="waiting for event 0, which is never recorded"):
        run(b.program(), settings)


def test_host_that_waits_for_its_own_later_call_is_a_deadlock(settings: Settings) -> None:
    b = Builder()
    s, e = b.stream(), b.event()
    b.sync_event(e)
    b.record(s, e)
    with pytest.raises(DeadlockError, match=r"host of rank 0 stands at call 0 \(sync_event\)"):
        run(b.program(), settings)


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


@pytest.mark.parametrize("after", [0, 2500, 5000])
def test_call_waits_for_one_far_back_that_has_not_returned(settings: Settings, after: int) -> None:
    b = Builder()
    b.work(b.stream(), 20_000, blocking=True)
    for _ in range(5000):
        b.host(1, thread=1, after=-1)
    b.host(7, thread=1, after=after)
    assert run(b.program(), settings).issue_ns.tolist()[-2:] == [5000, 20_007]
