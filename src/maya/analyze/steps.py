"""Step time and what the devices did in it."""

from dataclasses import dataclass

import numpy as np

from maya.analyze.intervals import I64, clip, covered, outside
from maya.simulator.collate import Job
from maya.simulator.program import Op, Timeline


@dataclass(frozen=True, slots=True)
class RankStep:
    """One rank, per step."""

    busy_ms: float
    idle_ms: float
    compute_ms: float
    communication_ms: float
    exposed_ms: float
    host_ms: float


def step_ends_ns(job: Job, timeline: Timeline) -> I64:
    """When all work issued before each boundary was done, on the last rank."""
    ends = []
    for rank, (calls, window) in enumerate(zip(job.ranks, job.windows, strict=True)):
        begin, end = job.program.rank_begin[rank : rank + 2]
        done = np.maximum.accumulate(timeline.end_ns[begin:end]) if end > begin else np.zeros(1)
        cuts = np.searchsorted(calls.rows.event, window.boundaries)
        ends.append([int(done[cut - 1]) if cut else 0 for cut in cuts])
    latest: I64 = np.array(ends, np.int64).max(axis=0)
    return latest


def rank_step(job: Job, timeline: Timeline, rank: int, low: int, high: int, steps: int) -> RankStep:
    """Where the time of one rank went between two moments."""
    begin, end = (int(x) for x in job.program.rank_begin[rank : rank + 2])
    calls = job.program.calls
    op = calls.op[begin:end]
    start, stop = timeline.start_ns[begin:end], timeline.end_ns[begin:end]
    work = clip(start[op == Op.WORK], stop[op == Op.WORK], low, high)
    moved = clip(start[op == Op.COLLECTIVE], stop[op == Op.COLLECTIVE], low, high)
    busy = covered(np.concatenate((work[0], moved[0])), np.concatenate((work[1], moved[1])))
    returned = timeline.return_ns[begin:end]
    inside = (returned > low) & (returned <= high)
    scale = 1e6 * steps
    return RankStep(
        busy_ms=busy / scale,
        idle_ms=(high - low - busy) / scale,
        compute_ms=covered(*work) / scale,
        communication_ms=covered(*moved) / scale,
        exposed_ms=outside(*moved, *work) / scale,
        host_ms=float(calls.host_ns[begin:end][inside].sum()) / scale,
    )
