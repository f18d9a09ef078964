"""How long a step takes, told from the steps that were simulated."""

import numpy as np
import numpy.typing as npt

from maya.analyze.intervals import I64
from maya.simulator.collate import Job

_SAME_WORK = 0.01  # relative: sizes of a few launches may vary
_WORTH_TELLING = 0.05


def step_time_ns(job: Job, ends_ns: npt.ArrayLike) -> float:
    """The median of steps that do the same work, which one odd step does not move; else the mean.

    Steps that take turns (an optimiser every other one, sequences of all lengths) have no usual
    one among them: only together are they what the program does.
    """
    lengths = np.diff(ends_ns)
    return float(np.median(lengths) if _do_the_same(job) else np.mean(lengths))


def note_of_steps(job: Job, ends_ns: npt.ArrayLike) -> str | None:
    """Said where one number does not tell all of them; of a period the summary tells more."""
    if _has_period(job):
        return None
    lengths = np.diff(ends_ns) / 1e6
    low, high = float(lengths.min()), float(lengths.max())
    if high - low <= _WORTH_TELLING * high:
        return None
    kind, given = ("the same", "median") if _do_the_same(job) else ("different", "mean")
    return (
        f"the {len(lengths)} simulated steps do {kind} work and take from {low:.4g} to "
        f"{high:.4g} ms; the {given} is given"
    )


def _has_period(job: Job) -> bool:
    return any(window.cycle for window in job.windows)


def _do_the_same(job: Job) -> bool:
    return not _has_period(job) and all(
        _is_level(_work_ns(job, rank)) for rank in range(len(job.ranks))
    )


def _work_ns(job: Job, rank: int) -> I64:
    """Time of device work in each measured step of a rank."""
    calls, window = job.ranks[rank], job.windows[rank]
    cuts = np.searchsorted(calls.rows.event, window.boundaries)
    so_far = np.concatenate(([0], np.cumsum(calls.duration_ns)))
    return np.diff(so_far[cuts])


def _is_level(work_ns: I64) -> bool:
    return bool(work_ns.max() - work_ns.min() <= _SAME_WORK * work_ns.max())
