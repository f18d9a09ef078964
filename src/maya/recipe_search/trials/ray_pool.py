"""Workers on a Ray cluster: the same trials as `LocalPool`, on many machines.

The search's directory must be one that all machines see. The cluster is the one that RAY_ADDRESS
names, or that this process has joined; else a local one is started and ended with the search.
"""

import contextlib
import importlib.util
import os
import sys
from typing import Any

from maya.errors import MayaError
from maya.recipe_search.trials.jobs import TrialJob, TrialOutcome
from maya.recipe_search.trials.pool import Deaths
from maya.recipe_search.trials.ray_head import RayHead
from maya.recipe_search.trials.trial import run_trial
from maya.recipe_search.trials.warmth import close

_CLOSE_S = 5.0


class RayPool:
    """One actor for each trial that runs at once."""

    def __init__(self, size: int | None) -> None:
        self._head = _head()
        self._ray = _ray()
        self._owned = not self._ray.is_initialized()
        if self._owned:
            address = self._head.address if self._head else os.environ.get("RAY_ADDRESS")
            self._ray.init(address=address, log_to_driver=False, configure_logging=False)
        self._size = size or max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        self._free: list[Any] = []
        self._busy: dict[Any, tuple[TrialJob, Any]] = {}  # future -> job, worker
        self._deaths = Deaths()

    @property
    def size(self) -> int:
        """How many jobs run at once."""
        return self._size

    def submit(self, job: TrialJob) -> None:
        """Give the job to a free actor; Ray waits for a CPU where there is none."""
        worker = self._free.pop() if self._free else self._ray.remote(_Worker).remote()
        self._busy[worker.run.remote(job.to_json())] = (job, worker)

    def next(self) -> tuple[int, TrialOutcome]:
        """Wait for any actor's answer."""
        while True:
            (future,), _ = self._ray.wait(list(self._busy), num_returns=1)
            job, worker = self._busy.pop(future)
            try:
                outcome = TrialOutcome.from_json(self._ray.get(future))
            except self._ray.exceptions.RayTaskError as error:  # raised in the trial
                outcome = TrialOutcome("failed", message=str(error))
            except self._ray.exceptions.RayError as error:  # the actor is gone, or its machine
                self._deaths.count(job, str(error))
                self.submit(job)
                continue
            self._free.append(worker)
            return job.number, outcome

    def close(self) -> None:
        """End our actors, and the cluster if we started it."""
        with contextlib.suppress(self._ray.exceptions.RayError):
            self._ray.get([worker.close.remote() for worker in self._free], timeout=_CLOSE_S)
        for worker in [*self._free, *(worker for _, worker in self._busy.values())]:
            self._ray.kill(worker)
        self._free.clear()
        self._busy.clear()
        if self._owned:
            self._ray.shutdown()
        if self._head is not None:
            self._head.close()


class _Worker:
    def run(self, job: str) -> str:
        """JSON in, JSON out, as a local worker."""
        return run_trial(TrialJob.from_json(job)).to_json()

    def close(self) -> None:
        """End the warm server: Ray gives an actor no chance to do it at its end."""
        close()


def _head() -> RayHead | None:
    """A cluster of ours, where none is named. Ray reads its settings when it is imported: where
    that has happened, `ray.init` starts one of its own."""
    usable = importlib.util.find_spec("ray") is not None and "ray" not in sys.modules
    return RayHead() if usable and not os.environ.get("RAY_ADDRESS") else None


def _ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise MayaError("--backend ray needs Ray", hint="pip install 'maya-sim[ray]'") from error
    return ray
