"""Replays real profiler traces with their own durations: what error the simulator itself makes."""

from benchmarks.result import Result
from maya.errors import MayaError
from workshop.fit.dataset import data_directory
from workshop.replay.command import line
from workshop.replay.kineto import replay


def replay_traces() -> Result | None:
    """The worst step of all traces; nothing where they are not at hand."""
    try:
        paths = sorted(data_directory().glob("kernels/*_traces/raw/*.json.gz"))
    except MayaError:
        return None
    done = [replay(path) for path in paths]
    for one in done:
        print(line(one))
    if not done:
        return None
    worst = 100 * max(abs(error) for one in done for error in one.errors)
    steps = sum(len(one.real_ns) for one in done)
    return Result(
        "replayed trace, worst step", worst, 3.0, "%", f"{steps} steps of {len(done)} traces"
    )
