"""What must hold for any program."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from maya.simulator import Builder, Program, Settings, Timeline, run
from maya.simulator.program import Op

PLAIN = Settings(launch_latency_ns=3, gap_ns=1, queue_limit=4)
TIMED = replace(PLAIN, share_links=True, share_devices=True, comm_share=128)

Step = tuple[str, int, int, int, int]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["work", "work", "work", "event", "sync", "device", "collective", "copy"]),
        st.integers(0, 2),  # rank
        st.integers(0, 2),  # stream
        st.integers(0, 50),  # host
        st.integers(0, 200),  # duration
    ),
    max_size=60,
)
ORDERS = st.tuples(st.permutations(range(3)), st.permutations(range(3)))


def build(
    steps: list[Step],
    ranks: tuple[int, ...] = (0, 1, 2),
    names: tuple[int, ...] = (0, 1, 2),
    others: int = 0,
) -> Program:
    """A program that cannot deadlock: collectives come in one order on one stream of every rank.

    `others`: ranks that use the same link together, long after all else is over.
    """
    b = Builder(3 + others)
    made = {(r, s): b.stream(ranks.index(r)) for r in ranks for s in names}
    for what, rank, stream, host_ns, duration_ns in steps:
        own = made[rank, stream]
        match what:
            case "work" | "copy":
                b.work(own, duration_ns, host_ns, blocking=what == "copy", share=700)
            case "event":
                event = b.event()
                b.record(own, event, host_ns)
                b.wait(made[rank, (stream + 1) % 3], event)
            case "sync":
                b.sync_stream(own, host_ns)
            case "device":
                b.sync_device(ranks.index(rank), host_ns)
            case "collective":
                number = b.transfer(duration_ns, 3, [(0, 800)])
                for r in range(3):
                    b.collective(made[r, 0], number, host_ns=host_ns)
    if others:
        late = b.transfer(5, others, [(0, 800)])
        for r in range(3, 3 + others):
            b.collective(b.stream(r), late, host_ns=10**9)
    return b.program()


def length(timeline: Timeline) -> int:
    return int(max(timeline.end_ns.max(initial=0), timeline.return_ns.max(initial=0)))


def with_durations(program: Program, work: np.ndarray, moved: np.ndarray) -> Program:  # type: ignore[type-arg]
    return replace(
        program,
        calls=replace(program.calls, duration_ns=work),
        transfers=replace(program.transfers, duration_ns=moved),
    )


@given(STEPS)
@settings(max_examples=150, deadline=None)
def test_never_shorter_than_any_stream(steps: list[Step]) -> None:
    program = build(steps)
    for how in (PLAIN, TIMED):
        total = length(run(program, how))
        for stream in range(len(program.streams.rank)):
            own = (program.calls.stream == stream) & (program.calls.op == Op.WORK)
            assert total >= program.calls.duration_ns[own].sum()


@given(STEPS)
@settings(max_examples=150, deadline=None)
def test_never_shorter_than_without_host_cost(steps: list[Step]) -> None:
    program = build(steps)
    free = replace(program, calls=replace(program.calls, host_ns=program.calls.host_ns * 0))
    assert length(run(program, PLAIN)) >= length(run(free, PLAIN))


@given(STEPS, st.data())
@settings(max_examples=150, deadline=None)
def test_monotone_in_every_duration(steps: list[Step], data: st.DataObject) -> None:
    program = build(steps)
    work, moved = program.calls.duration_ns, program.transfers.duration_ns
    more = np.array(
        data.draw(st.lists(st.integers(0, 90), min_size=len(work), max_size=len(work))), np.int64
    )
    longer = with_durations(program, work + more * (program.calls.op == Op.WORK), moved + 7)
    before, after = run(program, PLAIN), run(longer, PLAIN)
    assert (after.end_ns >= before.end_ns).all()
    assert (after.return_ns >= before.return_ns).all()


@given(STEPS, ORDERS)
@settings(max_examples=150, deadline=None)
def test_names_of_ranks_and_streams_do_not_matter(
    steps: list[Step], orders: tuple[list[int], list[int]]
) -> None:
    renamed = build(steps, tuple(orders[0]), tuple(orders[1]))
    assert length(run(build(steps), PLAIN)) == length(run(renamed, PLAIN))


@given(STEPS)
@settings(max_examples=150, deadline=None)
def test_free_communication_is_never_slower(steps: list[Step]) -> None:
    program = build(steps)
    work, moved = program.calls.duration_ns, program.transfers.duration_ns
    assert length(run(with_durations(program, work, moved * 0), PLAIN)) <= length(
        run(program, PLAIN)
    )


@given(STEPS)
@settings(max_examples=150, deadline=None)
def test_a_run_is_repeatable_to_the_bit(steps: list[Step]) -> None:
    program = build(steps)
    for how in (PLAIN, TIMED):
        first, second = run(program, how), run(program, how)
        assert first.end_ns.tobytes() == second.end_ns.tobytes()
        assert first.return_ns.tobytes() == second.return_ns.tobytes()


@given(STEPS)
@settings(max_examples=300, deadline=None)
def test_work_that_is_carried_out_ahead_of_the_clock_ends_as_it_would_in_time(
    steps: list[Step],
) -> None:
    """Beside a transfer, work runs ahead only where no other ranks could change its end."""
    ahead, in_time = (run(build(steps, others=others), TIMED) for others in (0, 2))
    calls = len(ahead.end_ns)
    assert (ahead.start_ns == in_time.start_ns[:calls]).all()
    assert (ahead.end_ns == in_time.end_ns[:calls]).all()
    assert (ahead.return_ns == in_time.return_ns[:calls]).all()


@given(STEPS)
@settings(max_examples=150, deadline=None)
def test_both_ways_agree_where_nothing_is_shared(steps: list[Step]) -> None:
    program = build(steps)
    alone = replace(program, calls=replace(program.calls, share=program.calls.share * 0))
    links = replace(alone.transfers, resource_share=alone.transfers.resource_share * 0 + 1)
    alone = replace(alone, transfers=links)
    plain, timed = run(alone, PLAIN), run(alone, TIMED)
    assert (plain.end_ns == timed.end_ns).all()
    assert (plain.return_ns == timed.return_ns).all()


@given(STEPS)
@settings(max_examples=150, deadline=None)
def test_sharing_never_makes_anything_end_before_its_own_duration(steps: list[Step]) -> None:
    program = build(steps)
    timeline = run(program, TIMED)
    work = program.calls.op == Op.WORK
    lasted = timeline.end_ns - timeline.start_ns
    assert (lasted[work] >= program.calls.duration_ns[work]).all()
