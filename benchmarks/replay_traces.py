"""Replays real profiler traces with their own durations: what error the simulator itself makes."""

from benchmarks.result import Result
from workshop.replay.command import line, replay_stored


def replay_traces() -> Result:
    """The worst step of all traces."""
    done = list(replay_stored())
    for one in done:
        print(line(one))
    worst = 100 * max(abs(error) for one in done for error in one.errors)
    steps = sum(len(one.real_ns) for one in done)
    return Result(
        "replayed trace, worst step", worst, 3.0, "%", f"{steps} steps of {len(done)} traces"
    )
