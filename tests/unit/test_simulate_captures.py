"""From captures to programs: steps, matching, graphs, threads."""

from pathlib import Path

import numpy as np
import pytest
from training_capture import DIMENSIONS, FixedDurations, Script, training

from maya.errors import ExitCode, MayaError
from maya.estimate.collectives import CollectiveModel
from maya.hardware import find_cluster
from maya.simulator import DeadlockError, run
from maya.simulator.collate import Job, collate
from maya.simulator.graphs import expand_graphs
from maya.simulator.program import CallFlag, Op, Settings, StreamFlag
from maya.simulator.rows import read_rows
from maya.simulator.steps import find_windows
from maya.simulator.work import Estimates, tabulate_definitions
from maya.trace import Capture


def job_of(*captures: Capture, cluster: str = "h100:8") -> Job:
    target = find_cluster(cluster)
    estimates = Estimates(FixedDurations(), target.gpu, {})
    return collate(captures, target, estimates, CollectiveModel(target).estimate)


def test_window_holds_the_steady_steps_and_one_before(tmp_path: Path) -> None:
    (window,) = find_windows([training(tmp_path, steps=3)])
    assert window.steady
    assert len(window.boundaries) == 4
    sizes = np.diff([window.begin, *window.boundaries])
    assert len(set(sizes.tolist())) == 1


def test_capture_without_steps_is_taken_whole_and_for_no_step(tmp_path: Path) -> None:
    script = Script()
    script.call(script.gemm, stream=1)
    (window,) = find_windows([script.save(tmp_path)])
    assert not window.found
    assert window.boundaries == (0, 2)


@pytest.mark.parametrize(("updates", "steps"), [(1, 0), (2, 1), (3, 1), (5, 3)])
def test_steps_that_differ_are_measured_without_what_came_before(
    updates: int, steps: int, tmp_path: Path
) -> None:
    script = Script()
    for piece in range(1, updates + 1):
        for _ in range(piece):
            script.call(script.gemm, stream=1)
        script.call(script.boundary, a=piece, cpu_ns=0)
    (window,) = find_windows([script.save(tmp_path)])
    assert not window.steady
    assert window.found is (steps > 0)
    if steps:
        assert len(window.boundaries) - 1 == steps
        assert window.boundaries[0] > 0


def test_as_many_steps_of_every_rank(tmp_path: Path) -> None:
    captures = [
        training(tmp_path, rank=rank, world=2, steps=steps) for rank, steps in ((0, 3), (1, 2))
    ]
    assert {len(window.boundaries) for window in find_windows(captures)} == {3}


def test_each_definition_is_estimated_once_for_all_ranks(tmp_path: Path) -> None:
    target = find_cluster("h100:2")
    chain = FixedDurations()
    captures = [training(tmp_path, rank=rank, world=2) for rank in range(2)]
    collate(captures, target, Estimates(chain, target.gpu, {}), CollectiveModel(target).estimate)
    assert chain.asked == 2


def test_collectives_of_ranks_are_matched(tmp_path: Path) -> None:
    job = job_of(*(training(tmp_path, rank=rank, world=2) for rank in range(2)))
    assert all(match.ranks == [0, 1] for match in job.matches)
    assert {match.members for match in job.matches} == {(0, 1)}
    run(job.program, Settings())


def test_processes_without_a_rank_are_told_apart_by_their_communicator(tmp_path: Path) -> None:
    job = job_of(*(training(tmp_path, rank=rank, world=2, told=False) for rank in range(2)))
    assert {match.members for match in job.matches} == {(0, 1)}
    assert job.program.transfers.resource.min() >= 0
    run(job.program, Settings())


def test_ranks_that_call_different_collectives_are_refused(tmp_path: Path) -> None:
    captures = []
    for rank, op in enumerate(("ncclAllReduce", "ncclAllGather")):
        script = Script(rank=rank, world=2)
        fields = {"comm": 1, "count": 8, "datatype": 7, "rank": rank, "nranks": 2}
        script.call(script.define(op, 12, **fields), stream=1)
        captures.append(script.save(tmp_path))
    with pytest.raises(MayaError, match="rank 1 calls ncclAllGather where rank 0 calls ncclAllRed"):
        job_of(*captures)


def test_sends_pair_with_receives_of_the_peer(tmp_path: Path) -> None:
    captures = []
    for rank, op in enumerate(("ncclSend", "ncclRecv")):
        script = Script(rank=rank, world=2)
        peer = {"comm": 1, "count": 8, "datatype": 7, "peer": 1 - rank, "rank": rank, "nranks": 2}
        call = script.define(op, 12, **peer)
        script.call(call, stream=1)
        script.call(call, stream=1)
        captures.append(script.save(tmp_path))
    job = job_of(*captures)
    assert [match.ranks for match in job.matches] == [[0, 1], [0, 1]]
    run(job.program, Settings())


@pytest.mark.parametrize(
    ("down", "up", "cluster", "hangs"),
    [
        (8, 8, "h100:8", False),
        (1 << 23, 1 << 23, "h100:8", False),  # 32 MiB lie in the buffers of 32 channels
        (1 << 26, 1 << 26, "h100:8", True),
        (1 << 26, 14, "h100:8", False),  # a gradient meets a mask of 56 bytes
        (14, 1 << 26, "h100:8", False),
        (1 << 18, 1 << 18, "l40s:2", False),
        (1 << 20, 1 << 20, "l40s:2", True),
        (1 << 20, 1 << 20, "h100:1x2", False),
        (1 << 21, 1 << 21, "h100:1x2", True),
    ],
)
def test_stages_that_both_send_first_hang_only_where_neither_message_fits_the_buffers(
    tmp_path: Path, down: int, up: int, cluster: str, hangs: bool
) -> None:
    captures = []
    for rank, sent, received in ((0, down, up), (1, up, down)):
        script = Script(rank=rank, world=2)
        peer = {"comm": 1, "datatype": 7, "peer": 1 - rank, "rank": rank, "nranks": 2}
        for op, count in (("ncclSend", sent), ("ncclRecv", received)):
            script.call(script.define(op, 12, **peer, count=count), stream=1)
        captures.append(script.save(tmp_path))
    program = job_of(*captures, cluster=cluster).program
    if hangs:
        with pytest.raises(DeadlockError):
            run(program, Settings())
    else:
        assert (run(program, Settings()).transfer_end_ns > 0).all()


@pytest.mark.parametrize(("sent", "hangs"), [(1 << 20, True), (9, False)])
def test_ends_of_a_message_must_agree_unless_nccl_buffers_it(
    tmp_path: Path, sent: int, hangs: bool
) -> None:
    captures = []
    for rank, (op, count) in enumerate((("ncclSend", sent), ("ncclRecv", 8))):
        script = Script(rank=rank, world=2)
        fields = {"comm": 1, "count": count, "datatype": 7, "peer": 1 - rank, "rank": rank}
        site = {"nranks": 2, "site": f"train.py:{rank}"}
        script.call(script.define(op, 12, **fields, **site), stream=1)
        captures.append(script.save(tmp_path))
    if not hangs:
        job_of(*captures)
        return
    wanted = r"rank 0 calls ncclSend of 1048576 \S+ at train.py:0, but rank 1 .*8 \S+ at train.py:1"
    with pytest.raises(MayaError, match=wanted) as error:
        job_of(*captures)
    assert error.value.exit_code == ExitCode.SCRIPT_FAILED


def test_group_becomes_one_call_with_members(tmp_path: Path) -> None:
    script = Script()
    call = script.define("ncclAllReduce", 12, comm=1, count=8, datatype=7, rank=0, nranks=1)
    script.call(call, stream=1, b=5)
    script.call(call, stream=1, b=5, a=1)
    program = job_of(script.save(tmp_path)).program
    assert program.calls.op.tolist() == [Op.HOST, Op.COLLECTIVE, Op.HOST]
    assert program.calls.count.tolist() == [0, 2, 0]


def test_polling_threads_are_not_the_program(tmp_path: Path) -> None:
    script = Script()
    poll = script.define("synchronize", 10, what="event_query", device=0)
    script.call(script.gemm, stream=1)
    for _ in range(50):
        script.call(poll, thread=9)
    script.call(script.gemm, stream=1)
    rows = read_rows(script.save(tmp_path))
    assert set(rows.thread.tolist()) == {1}


def test_a_pinning_thread_does_not_move_the_step(tmp_path: Path) -> None:
    script = Script()
    pinned = script.define("alloc", 5, what="pinned", device=0)
    script.call(script.gemm, stream=1)
    script.call(pinned, thread=9, cpu_ns=86_000_000)
    script.call(script.gemm, stream=1)
    assert set(read_rows(script.save(tmp_path)).thread.tolist()) == {1}


def test_a_thread_that_only_waits_for_the_device_is_the_program(tmp_path: Path) -> None:
    script = Script()
    wait = script.define("synchronize", 10, what="device", device=0)
    script.call(script.gemm, stream=1)
    script.call(wait, thread=2)
    assert set(read_rows(script.save(tmp_path)).thread.tolist()) == {1, 2}


def test_noise_of_single_steps_is_taken_out(tmp_path: Path) -> None:
    script = Script()
    for piece in range(1, 6):
        slow = 900_000 if piece == 4 else 5000
        script.call(script.gemm, stream=1, cpu_ns=slow)
        script.call(script.boundary, a=piece, cpu_ns=0)
    script.steady(5, 3)
    job = job_of(script.save(tmp_path))
    gemms = job.program.calls.op == Op.WORK
    costs = find_cluster("h100:1").host.calls_ns["library"]
    assert set(job.program.calls.host_ns[gemms].tolist()) == {5000 + costs}


def test_waits_refer_to_versions_recorded_in_the_window(tmp_path: Path) -> None:
    script = Script()
    record = script.define("event_record", 7, flags=2)
    wait = script.define("event_wait", 8)
    script.call(wait, stream=1, a=3, b=1)  # recorded before the capture
    script.call(record, stream=1, a=3, b=2)
    script.call(record, stream=1, a=3, b=3)
    script.call(wait, stream=1, a=3, b=2)
    calls = job_of(script.save(tmp_path)).program.calls
    assert calls.op.tolist() == [Op.HOST, Op.HOST, Op.RECORD, Op.RECORD, Op.WAIT]
    assert calls.operand[4] == calls.operand[2] != calls.operand[3]


def test_pageable_and_synchronous_copies_block(tmp_path: Path) -> None:
    script = Script()

    def copy(size: int, direction: int, asynchronous: int, pageable: int) -> int:
        fields = {"bytes": size, "direction": direction, "async": asynchronous}
        return script.define("memcpy", 3, **fields, pageable=pageable, rows=1)

    cases = [
        (copy(1 << 20, 1, 1, 1), True),  # pageable, large
        (copy(1 << 10, 1, 1, 1), False),  # staged
        (copy(4, 2, 1, 1), True),  # to pageable memory
        (copy(1 << 20, 1, 1, 0), False),  # pinned
        (copy(1 << 20, 1, 0, 0), True),  # synchronous
        (copy(1 << 20, 3, 0, 0), False),  # inside the device
    ]
    for definition, _ in cases:
        script.call(definition, stream=1)
    flags = job_of(script.save(tmp_path)).program.calls.flags[1:]
    assert [bool(flag & CallFlag.BLOCKING) for flag in flags] == [blocks for _, blocks in cases]


def test_graph_is_written_out_with_its_dependencies(tmp_path: Path) -> None:
    script = Script()
    node = {"graph": 5, "stream": 1}
    # 0 -> 1 and 2 in parallel -> 3
    for index, depends in enumerate([(), (0,), (0,), (1, 2)]):
        script.define("graph_node", 19, *depends, **node, index=index, **{"def": script.gemm})
    launch = script.define("graph_launch", 14, what="launch", graph=5, nodes=4)
    script.call(launch, stream=1)
    script.call(script.kernel, stream=1)
    job = job_of(script.save(tmp_path))
    settings = Settings()
    timeline = run(job.program, settings)
    works = np.flatnonzero(job.program.calls.op == Op.WORK)
    starts = timeline.start_ns[works] - timeline.start_ns[works[0]]
    assert starts.tolist() == [0, 100_000, 100_000, 200_000, 300_000]


def test_graph_launch_costs_the_host_once(tmp_path: Path) -> None:
    script = Script()
    for index in range(10):
        depends = (index - 1,) if index else ()
        fields = {"graph": 5, "index": index, "def": script.gemm, "stream": 1}
        script.define("graph_node", 19, *depends, **fields)
    script.call(script.define("graph_launch", 14, what="launch", graph=5, nodes=10), stream=1)
    capture = script.save(tmp_path)
    rows = expand_graphs(capture, read_rows(capture))
    assert len(rows) == 12
    calls = job_of(capture).program.calls
    assert np.count_nonzero(calls.host_ns[2:]) == 0
    assert (calls.flags[2:] == CallFlag.UNQUEUED).all()


@pytest.mark.parametrize(("kind", "rows"), [(2, 1 + 1 + 3), (12, 1 + 3 + 3)])
def test_early_launches_of_graphs_are_written_out_only_for_their_collectives(
    kind: int, rows: int, tmp_path: Path
) -> None:
    script = Script()
    inside = script.define("all_reduce", kind, count=8, datatype=7, comm=1)
    for index in range(2):
        fields = {"graph": 5, "index": index, "def": inside, "stream": 1}
        script.define("graph_node", 19, *range(index), **fields)
    launch = script.define("graph_launch", 14, what="launch", graph=5, nodes=2)
    script.call(launch, stream=1)
    script.call(launch, stream=1)
    capture = script.save(tmp_path)
    assert len(expand_graphs(capture, read_rows(capture), begin=2)) == rows


def test_free_waits_for_the_device(tmp_path: Path) -> None:
    script = Script()
    script.call(script.gemm, stream=1)
    script.call(script.define("free", 6, what="device", device=0), a=0x1000, b=8)
    assert job_of(script.save(tmp_path)).program.calls.op[-1] == Op.SYNC_DEVICE


def test_more_ranks_than_gpus_is_an_error(tmp_path: Path) -> None:
    captures = [training(tmp_path, rank=rank, world=2) for rank in range(2)]
    with pytest.raises(MayaError, match="rank 1, but h100:1 has 1 GPUs"):
        job_of(*captures, cluster="h100:1")


def test_dimensions_of_a_kernel_say_how_much_of_the_device_it_fills(tmp_path: Path) -> None:
    script = Script()
    wide = DIMENSIONS | {"grid_x": 66}
    script.call(script.define("kernel", 1, kernel="k", **wide, shared_bytes=0), stream=1)
    assert job_of(script.save(tmp_path)).program.calls.share[-1] == 512


def test_streams_keep_their_priority_and_their_way_with_the_default_stream(tmp_path: Path) -> None:
    script = Script()
    kinds = {2: (0, -1), 3: (1, -1), 4: (1, 0), 5: (0, 0)}  # stream -> flags, priority
    for stream, (flags, priority) in kinds.items():
        made = script.define("stream", 9, what="create", device=0, priority=priority, flags=flags)
        script.call(made, stream=stream)
        script.call(script.kernel, stream=stream)
    job = job_of(script.save(tmp_path))
    blocks, high = StreamFlag.BLOCKS, StreamFlag.HIGH_PRIORITY
    expected = [StreamFlag.LEGACY, blocks | high, high, 0, blocks]
    assert job.program.streams.flags.tolist() == expected


@pytest.mark.parametrize("checked", [0, 1])
def test_torch_checks_collectives_of_groups_member_by_member(tmp_path: Path, checked: int) -> None:
    script = Script()
    about = {"comm": 1, "rank": 0, "nranks": 8}
    script.call(script.define("comm", 21, **about, members="0,1,2,3,4,5,6,7", checked=checked), a=7)
    shape = {**about, "count": 1, "datatype": 7}
    reduce = script.define("ncclAllReduce", 12, **shape)
    send = script.define("ncclSend", 12, **shape, peer=1)
    target = find_cluster("h100:8")
    estimates = Estimates(FixedDurations(), target.gpu, {})
    call_ns = tabulate_definitions(script.save(tmp_path), estimates, target).call_ns
    costs = target.host.calls_ns
    assert call_ns[send] == round(costs["collective"] / target.host.speed)
    assert call_ns[reduce] - call_ns[send] == checked * 8 * costs["check_member"]
