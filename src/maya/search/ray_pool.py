"""Workers on a Ray cluster: the same trials as `LocalPool`, on many machines.

The search's directory must be one that all machines see. The cluster is the one that RAY_ADDRESS
names, or that this process has joined; else a local one is started and ended with the search.
"""

import os
from typing import Any

from maya.errors import MayaError
from maya.search.jobs import Job, Outcome
from maya.search.trial import run_trial


class RayPool:
    """One actor for each trial that runs at once."""

    def __init__(self, size: int | None) -> None:
        self._ray = _ray()
        self._owned = not self._ray.is_initialized()
        if self._owned:
            self._ray.init(
                address=os.environ.get("RAY_ADDRESS"), log_to_driver=False, configure_logging=False
            )
        self._size = size or max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        self._free: list[Any] = []
        self._busy: dict[Any, tuple[int, Any]] = {}  # future -> number, worker

    @property
    def size(self) -> int:
        """How many jobs run at once."""
        return self._size

    def submit(self, job: Job) -> None:
        """Give the job to a free actor; Ray waits for a CPU where there is none."""
        worker = self._free.pop() if self._free else self._ray.remote(_Worker).remote()
        self._busy[worker.run.remote(job.to_json())] = (job.number, worker)

    def next(self) -> tuple[int, Outcome]:
        """Wait for any actor's answer."""
        (future,), _ = self._ray.wait(list(self._busy), num_returns=1)
        number, worker = self._busy.pop(future)
        try:
            outcome = Outcome.from_json(self._ray.get(future))
        except self._ray.exceptions.RayError as error:
            return number, Outcome("failed", message=f"a Ray worker was lost: {error}")
        self._free.append(worker)
        return number, outcome

    def close(self) -> None:
        """End our actors, and the cluster if we started it."""
        for worker in [*self._free, *(worker for _, worker in self._busy.values())]:
            self._ray.kill(worker)
        self._free.clear()
        self._busy.clear()
        if self._owned:
            self._ray.shutdown()


class _Worker:
    def run(self, job: str) -> str:
        """JSON in, JSON out, as a local worker."""
        return run_trial(Job.from_json(job)).to_json()


def _ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise MayaError("--backend ray needs Ray", hint="pip install 'maya-sim[ray]'") from error
    return ray
