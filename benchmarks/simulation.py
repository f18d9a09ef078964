"""How fast the simulator is, in CPU time. Programs are built first: loading is not counted."""

import time

from benchmarks.result import Result
from maya.simulate import Builder, Program, Settings, run

_LAUNCH_NS, _LATENCY_NS, _GAP_NS = 3000, 3500, 800
_SHARED = Settings(_LATENCY_NS, _GAP_NS, share_links=True, share_devices=True, comm_share=124)
_REPEATS = 3


def operations_per_second() -> Result:
    """One rank, a million kernels, a collective after every hundred; sharing models on."""
    program = _training(1, 1_000_000)
    seconds = _seconds(program)
    rate = len(program.calls) / seconds / 1e6
    return Result("simulate one operation", 1e3 / rate, 200, "ns", f"{rate:.1f} million a second")


def sixty_four_ranks() -> Result:
    """64 ranks, 3 steps of 20,000 operations each."""
    program = _training(64, 60_000)
    seconds = _seconds(program)
    return Result("64 GPUs, 3 steps", seconds, 2.0, "s", f"{len(program.calls):,} calls")


def _seconds(program: Program) -> float:
    times = []
    for _ in range(_REPEATS):
        begin = time.process_time()
        run(program, _SHARED)
        times.append(time.process_time() - begin)
    return min(times)


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
