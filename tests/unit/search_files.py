"""Small search files and a pool that answers from a formula."""

from collections.abc import Callable
from typing import Any

from maya.hardware import find_cluster
from maya.recipe_search.space.file import SearchFile
from maya.recipe_search.space.space import Space
from maya.recipe_search.trials.jobs import TrialJob, TrialOutcome

BASE: dict[str, Any] = {
    "command": "python train.py --micro-batch {micro_batch} --tp {tp}",
    "clusters": ["h100:8x2"],
    "knobs": {
        "tp": {"powers_of_two": [1, 8]},
        "micro_batch": {"choices": [1, 2, 4, 8], "memory": "rises"},
        "recompute": {"choices": [False, True], "switch": "--recompute", "memory": "falls"},
    },
    "constants": {"global_batch": 64},
    "derived": {"dp": "gpus // tp"},
    "constraints": ["tp * dp == gpus", "global_batch % (micro_batch * dp) == 0"],
}


def search_file(**changes: Any) -> SearchFile:
    return SearchFile.model_validate(BASE | changes)


def space_of(**changes: Any) -> Space:
    file = search_file(**changes)
    return Space(file, {name: find_cluster(name) for name in file.clusters})


def metrics(step_ms: float, peak_bytes: float = 1e9) -> dict[str, float | None]:
    names = ("hfu", "usd_per_hour", "usd_per_step", "busy_ms", "idle_ms", "compute_ms")
    names += ("communication_ms", "exposed_ms", "host_ms", "headroom_bytes")
    found: dict[str, float | None] = dict.fromkeys(names, 0.5)
    bounds = {"low_ms": step_ms * 0.95, "high_ms": step_ms * 1.05}
    work = {"mfu": 50.0 / step_ms}  # every recipe does the same work in a step
    return found | work | bounds | {"step_ms": step_ms, "peak_bytes": peak_bytes, "steady": 1.0}


class FormulaPool:
    """Answers jobs from their command line, the newest first: order must not matter."""

    def __init__(
        self, size: int, formula: Callable[[list[str]], TrialOutcome], stop_after: int = 10**9
    ):
        self.size = size
        self.jobs: list[TrialJob] = []
        self.ran: list[TrialJob] = []
        self._formula = formula
        self._left = stop_after

    def submit(self, job: TrialJob) -> None:
        self.jobs.append(job)

    def next(self) -> tuple[int, TrialOutcome]:
        if self._left == 0:
            raise KeyboardInterrupt
        self._left -= 1
        job = self.jobs.pop()
        self.ran.append(job)
        return job.number, self._formula(list(job.command))

    def close(self) -> None:
        self.jobs.clear()
