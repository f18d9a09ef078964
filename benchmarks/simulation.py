"""How fast the simulator is. Programs are built first: loading is not counted."""

import resource
import time
from dataclasses import replace

import numpy as np

from benchmarks.result import Result
from maya.simulator import Builder, Program, Settings, run
from maya.simulator.engine import run_pieces
from maya.simulator.program import Shared, Streams

_LAUNCH_NS, _LATENCY_NS, _GAP_NS = 3000, 3500, 800
_SHARED = Settings(_LATENCY_NS, _GAP_NS, share_links=True, share_devices=True, comm_share=124)
_COPIES = 1024


def operations_per_second() -> Result:
    """One rank, 200,000 kernels, a collective after every hundred; sharing models on.

    By the clock on the wall: few enough operations that one of the repeats is not interrupted.
    """
    program = _training(1, 200_000)
    cpu_s, wall_s = _seconds(program, 30)
    wall, cpu = (len(program.calls) / seconds / 1e6 for seconds in (wall_s, cpu_s))
    detail = f"{wall:.1f} million a second; {cpu:.1f} million in a second of CPU time"
    return Result("simulate one operation", 1e3 / wall, 200, "ns", detail)


def sixty_four_ranks() -> Result:
    """64 ranks, 3 steps of 20,000 operations each."""
    program = _training(64, 60_000)
    cpu_s, wall_s = _seconds(program, 3)
    detail = f"{len(program.calls):,} calls, {cpu_s:.2f} s of CPU time"
    return Result("64 GPUs, 3 steps", wall_s, 2.0, "s", detail)


def every_rank() -> Result:
    """1,024 ranks that share the calls of one, each with noise of its own, sharing models on."""
    program = _copied(_training(1, 20_000), _COPIES)
    begin = time.process_time()
    run_pieces(program, _SHARED, jitter=0.02, seed=1)
    seconds = time.process_time() - begin
    calls = len(program.calls) * _COPIES
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    detail = f"{calls / seconds / 1e6:.1f} million a second; {resident:.2f} GiB at most so far"
    name = f"simulate one of {_COPIES:,} ranks' operations"
    return Result(name, seconds / calls * 1e9, 500, "ns", detail)


def _copied(program: Program, ranks: int) -> Program:
    """So many ranks that do the same and meet in every collective."""
    calls, streams, moves = program.calls, program.streams, program.transfers
    which = np.arange(ranks, dtype=np.int32)
    first = np.zeros(ranks, np.int64)
    shared = Shared(
        begin=first,
        end=first + len(calls),
        stream=which * len(streams.rank),
        device=which,
        slot=which * program.slot_count,
        channel=np.zeros((ranks, 1), np.int32),
        member_channel=np.zeros(len(moves.members), np.int32),
        piece=np.zeros(len(calls), np.uint8),
    )
    each = np.repeat(which, len(streams.rank))
    count, links = len(moves.ranks), 2 * np.arange(ranks, dtype=np.int32)
    return replace(
        program,
        rank_begin=np.zeros(ranks + 1, np.int64),
        streams=Streams(each, each, np.tile(streams.flags, ranks)),
        transfers=replace(
            moves,
            ranks=np.full(count, ranks, np.int32),
            resources_begin=np.arange(count + 1, dtype=np.int64) * ranks,
            resource=np.tile(links, count),
            resource_share=np.full(count * ranks, 1000, np.int32),
            resource_count=2 * ranks,
        ),
        device_count=ranks,
        slot_count=program.slot_count * ranks,
        shared=shared,
    )


def _seconds(program: Program, repeats: int) -> tuple[float, float]:
    """Of the CPU and on the wall, each the least of some repeats."""
    cpu_s, wall_s = [], []
    for _ in range(repeats):
        begin = time.process_time(), time.monotonic()
        run(program, _SHARED)
        cpu_s.append(time.process_time() - begin[0])
        wall_s.append(time.monotonic() - begin[1])
    return min(cpu_s), min(wall_s)


def _training(ranks: int, operations: int) -> Program:
    builder = Builder(ranks)
    main = [builder.stream(rank) for rank in range(ranks)]
    side = [builder.stream(rank) for rank in range(ranks)]
    for number in range(operations):
        if number % 100 != 50:
            for rank in range(ranks):
                builder.work(main[rank], 5000 + number * 37 % 4000, _LAUNCH_NS)
            continue
        reduction = builder.transfer(20_000, ranks, [(rank, 1000) for rank in range(ranks)])
        for rank in range(ranks):
            event = builder.event()
            builder.record(main[rank], event, 600)
            builder.wait(side[rank], event, 500)
            builder.collective(side[rank], reduction, host_ns=6000)
    return builder.program()
