"""Timelines computed by hand: collectives, groups, pairs, links."""

import pytest

from maya.simulator import Builder, DeadlockError, Settings, run

PLAIN = Settings()
TIMED = Settings(share_links=True, share_devices=True)
WHOLE = 1024


@pytest.fixture(params=[PLAIN, TIMED], ids=["plain", "timed"])
def settings(request: pytest.FixtureRequest) -> Settings:
    chosen: Settings = request.param
    return chosen


def two_ranks() -> tuple[Builder, int, int]:
    b = Builder(2)
    return b, b.stream(0), b.stream(1)


def test_collective_starts_with_the_last_participant(settings: Settings) -> None:
    b, s, t = two_ranks()
    c = b.transfer(50, 2)
    b.work(s, 10)
    b.collective(s, c)
    b.work(t, 100)
    b.collective(t, c)
    timeline = run(b.program(), settings)
    assert timeline.transfer_start_ns[0] == 100
    assert timeline.start_ns.tolist() == [0, 10, 0, 100]
    assert timeline.end_ns.tolist() == [10, 150, 100, 150]


def test_work_behind_a_collective_waits_for_it(settings: Settings) -> None:
    b, s, t = two_ranks()
    c = b.transfer(50, 2)
    for stream in (s, t):
        b.collective(stream, c)
        b.work(stream, 5)
    assert run(b.program(), settings).start_ns.tolist() == [0, 50, 0, 50]


def test_compute_overlaps_communication_of_another_stream(settings: Settings) -> None:
    b, s, t = two_ranks()
    side = [b.stream(0), b.stream(1)]
    c = b.transfer(50, 2)
    for main, comm in ((s, side[0]), (t, side[1])):
        b.collective(comm, c)
        b.work(main, 80)
    assert run(b.program(), settings).end_ns.tolist() == [50, 80, 50, 80]


def test_overlapped_kernel_slows_down_by_the_share_of_communication() -> None:
    b, s, t = two_ranks()
    side = [b.stream(0), b.stream(1)]
    c = b.transfer(100, 2)
    for main, comm in ((s, side[0]), (t, side[1])):
        b.collective(comm, c)
        b.work(main, 100)
    half = Settings(share_devices=True, comm_share=512)
    # Half speed for 100, then 50 left at full speed.
    assert run(b.program(), half).end_ns.tolist() == [100, 150, 100, 150]


def test_small_kernel_fits_beside_communication() -> None:
    b, s, t = two_ranks()
    side = [b.stream(0), b.stream(1)]
    c = b.transfer(100, 2)
    for main, comm in ((s, side[0]), (t, side[1])):
        b.collective(comm, c)
        b.work(main, 100, share=256)
    half = Settings(share_devices=True, comm_share=512)
    assert run(b.program(), half).end_ns.tolist() == [100, 100, 100, 100]


def test_group_is_one_call_that_ends_with_its_last_member(settings: Settings) -> None:
    b, s, t = two_ranks()
    c, d = b.transfer(50, 2), b.transfer(70, 2)
    b.collective(s, c, d)
    b.work(s, 1)
    b.work(t, 30)
    b.collective(t, c, d)
    timeline = run(b.program(), settings)
    assert timeline.transfer_start_ns.tolist() == [30, 30]
    assert timeline.start_ns[1] == 100


def test_group_in_any_order_does_not_deadlock(settings: Settings) -> None:
    b, s, t = two_ranks()
    c, d = b.transfer(50, 2), b.transfer(50, 2)
    b.collective(s, c, d)
    b.collective(t, d, c)
    assert run(b.program(), settings).end_ns.tolist() == [50, 50]


def test_without_a_group_opposite_orders_deadlock(settings: Settings) -> None:
    b, s, t = two_ranks()
    c, d = b.transfer(50, 2), b.transfer(50, 2)
    b.collective(s, c)
    b.collective(s, d)
    b.collective(t, d)
    b.collective(t, c)
    with pytest.raises(DeadlockError, match="collective 0 has rank 0 and lacks rank 1"):
        run(b.program(), settings)


def test_absent_rank_is_named_in_a_deadlock(settings: Settings) -> None:
    b, s, _ = two_ranks()
    b.collective(s, b.transfer(50, 2))
    with pytest.raises(DeadlockError, match="1 that never call it"):
        run(b.program(), settings)


def test_sends_and_receives_pair_in_order(settings: Settings) -> None:
    b, s, t = two_ranks()
    first, second = b.transfer(10, 2), b.transfer(20, 2)
    b.collective(s, first)
    b.collective(s, second)
    b.work(t, 5)
    b.collective(t, first)
    b.collective(t, second)
    timeline = run(b.program(), settings)
    assert timeline.transfer_start_ns.tolist() == [5, 15]
    assert timeline.transfer_end_ns.tolist() == [15, 35]


def test_pipeline_of_three_ranks(settings: Settings) -> None:
    b = Builder(3)
    streams = [b.stream(rank) for rank in range(3)]
    down = [b.transfer(10, 2), b.transfer(10, 2)]
    b.work(streams[0], 100)
    b.collective(streams[0], down[0])
    b.collective(streams[1], down[0])
    b.work(streams[1], 100)
    b.collective(streams[1], down[1])
    b.collective(streams[2], down[1])
    b.work(streams[2], 100)
    assert run(b.program(), settings).end_ns[-1] == 320


def test_two_transfers_on_one_link_take_half_each() -> None:
    b = Builder()
    s, t = b.stream(), b.stream()
    b.collective(s, b.transfer(100, 1, [(0, WHOLE)]))
    b.collective(t, b.transfer(100, 1, [(0, WHOLE)]))
    assert run(b.program(), TIMED).end_ns.tolist() == [200, 200]


def test_short_transfer_leaves_the_link_to_the_long_one() -> None:
    b = Builder()
    s, t = b.stream(), b.stream()
    b.collective(s, b.transfer(100, 1, [(0, WHOLE)]))
    b.collective(t, b.transfer(20, 1, [(0, WHOLE)]))
    # Both at half speed until 40; then 80 left alone.
    assert run(b.program(), TIMED).end_ns.tolist() == [120, 40]


def test_transfers_on_different_links_do_not_meet() -> None:
    b = Builder()
    s, t = b.stream(), b.stream()
    b.collective(s, b.transfer(100, 1, [(0, WHOLE)]))
    b.collective(t, b.transfer(100, 1, [(1, WHOLE)]))
    assert run(b.program(), TIMED).end_ns.tolist() == [100, 100]


def test_transfers_that_leave_room_do_not_slow_each_other() -> None:
    b = Builder()
    s, t = b.stream(), b.stream()
    b.collective(s, b.transfer(100, 1, [(0, 512)]))
    b.collective(t, b.transfer(100, 1, [(0, 512)]))
    assert run(b.program(), TIMED).end_ns.tolist() == [100, 100]


def test_sharing_is_max_min_fair() -> None:
    b = Builder()
    streams = [b.stream() for _ in range(3)]
    # Two share link 0; the third has link 1 together with the second, which leaves it half.
    b.collective(streams[0], b.transfer(100, 1, [(0, WHOLE)]))
    b.collective(streams[1], b.transfer(100, 1, [(0, WHOLE), (1, WHOLE)]))
    b.collective(streams[2], b.transfer(50, 1, [(1, WHOLE)]))
    assert run(b.program(), TIMED).end_ns.tolist() == [200, 200, 100]


def test_sharing_of_links_can_be_switched_off() -> None:
    b = Builder()
    s, t = b.stream(), b.stream()
    b.collective(s, b.transfer(100, 1, [(0, WHOLE)]))
    b.collective(t, b.transfer(100, 1, [(0, WHOLE)]))
    assert run(b.program(), Settings(share_devices=True)).end_ns.tolist() == [100, 100]


def test_collective_without_members_takes_no_time(settings: Settings) -> None:
    b = Builder()
    s = b.stream()
    b.collective(s)
    b.work(s, 10)
    assert run(b.program(), settings).end_ns.tolist() == [0, 10]


def crossing_small_messages(send: str) -> Builder:
    """Each rank first sends to the other and then receives, on one stream."""
    b, s, t = two_ranks()
    forth, back = b.transfer(50, 2), b.transfer(50, 2)
    getattr(b, send)(s, forth)
    b.collective(s, back)
    b.work(t, 100)
    getattr(b, send)(t, back)
    b.collective(t, forth)
    return b


def test_small_messages_that_cross_do_not_deadlock(settings: Settings) -> None:
    timeline = run(crossing_small_messages("send_small").program(), settings)
    assert timeline.transfer_start_ns.tolist() == [0, 100]
    # The first receiver waits for the message; the second takes it out of its buffers.
    assert timeline.end_ns.tolist() == [50, 150, 100, 150, 200]


def test_large_messages_that_cross_deadlock(settings: Settings) -> None:
    with pytest.raises(DeadlockError):
        run(crossing_small_messages("collective").program(), settings)


def test_receiver_that_arrives_during_a_small_message_ends_with_it(settings: Settings) -> None:
    b, s, t = two_ranks()
    c = b.transfer(50, 2)
    b.send_small(s, c)
    b.work(t, 20)
    b.collective(t, c)
    timeline = run(b.program(), settings)
    assert timeline.end_ns.tolist() == [50, 20, 50]


def test_kernels_go_on_faster_when_a_transfer_ends_earlier_by_what_other_ranks_end() -> None:
    """Ranks 1 and 2 use a link that rank 0's transfer needs; its kernels know nothing of them."""
    settings = Settings(share_links=True, share_devices=True, comm_share=WHOLE // 2)
    b = Builder(3)
    others = b.transfer(100, 2, [(1, WHOLE)])
    own = b.transfer(200, 2, [(0, WHOLE), (1, WHOLE)])
    for rank in (1, 2):
        b.collective(b.stream(rank), others)
    for rank in (0, 1):
        b.collective(b.stream(rank), own)
    kernels = b.stream(0)
    calls = [b.work(kernels, 70) for _ in range(5)]
    timeline = run(b.program(), settings)
    assert timeline.transfer_end_ns.tolist() == [200, 300]
    # At half the pace up to 300: the third has then done 10 of its 70.
    assert timeline.end_ns[calls].tolist() == [140, 280, 360, 430, 500]
