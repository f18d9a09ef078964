"""Timelines computed by hand: host threads, what they wait for, launch queues. In nanoseconds."""

import pytest
from timelines import spans

from maya.simulator import Builder, DeadlockError, Settings, run


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


@pytest.mark.parametrize("after", [0, 2500, 5000])
def test_call_waits_for_one_far_back_that_has_not_returned(settings: Settings, after: int) -> None:
    b = Builder()
    b.work(b.stream(), 20_000, blocking=True)
    for _ in range(5000):
        b.host(1, thread=1, after=-1)
    b.host(7, thread=1, after=after)
    assert run(b.program(), settings).issue_ns.tolist()[-2:] == [5000, 20_007]
