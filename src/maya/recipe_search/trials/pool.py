"""Workers on this machine, as many as its cores and memory carry."""

import contextlib
import os
import selectors
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from maya.errors import MayaError
from maya.recipe_search.trials.jobs import TrialJob, TrialOutcome
from maya.units import GIB

TRIAL_BYTES = int(1.5 * GIB)  # that a trial is taken to need: the interpreter, torch, a capture
_MEMORY_POLL_S = 1.0
_MOST_DEATHS = 3  # of workers in one trial


class Pool(Protocol):
    """Runs jobs; outcomes come back in any order."""

    @property
    def size(self) -> int:
        """How many jobs run at once."""
        ...

    def submit(self, job: TrialJob) -> None:
        """Start a job; there are never more than `size`."""
        ...

    def next(self) -> tuple[int, TrialOutcome]:
        """Wait for any job: its number and outcome."""
        ...

    def close(self) -> None:
        """End everything, at once."""
        ...


@dataclass(slots=True)
class _Worker:
    process: subprocess.Popen[str]
    job: TrialJob | None = None


class Deaths:
    """Of workers, by the trial that they ran. One says nothing about the recipe."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()

    def count(self, job: TrialJob, last: str) -> None:
        """One more; too many end the search, without a verdict."""
        self._counts[job.number] += 1
        if self._counts[job.number] == _MOST_DEATHS:
            raise MayaError(
                f"trial {job.number} lost {_MOST_DEATHS} workers; the last: {last}",
                hint="something kills them, perhaps a lack of memory: try fewer --jobs; the same "
                "command continues the search",
            )


class LocalPool:
    """Worker processes that live as long as the search."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._workers: list[_Worker] = []
        self._selector = selectors.DefaultSelector()
        self._deaths = Deaths()

    @property
    def size(self) -> int:
        """How many jobs run at once."""
        return self._size

    def submit(self, job: TrialJob) -> None:
        """Give the job to a free worker, once there is memory for it."""
        self._wait_for_memory()
        worker = next((w for w in self._workers if w.job is None), None) or self._start()
        assert worker.process.stdin is not None
        worker.job = job
        with contextlib.suppress(BrokenPipeError):  # one that has just died is seen by `next`
            worker.process.stdin.write(job.to_json() + "\n")
            worker.process.stdin.flush()

    def next(self) -> tuple[int, TrialOutcome]:
        """Wait for any worker's answer."""
        while True:
            for key, _ in self._selector.select():
                worker: _Worker = key.data
                assert worker.process.stdout is not None
                line = worker.process.stdout.readline()
                job, worker.job = worker.job, None
                if not line:
                    self._drop(worker)
                if job is not None and line:
                    return job.number, TrialOutcome.from_json(line)
                if job is not None:
                    self._deaths.count(job, f"it ended with code {worker.process.returncode}")
                    self.submit(job)

    def close(self) -> None:
        """Workers end, with what they started, when their input does."""
        for worker in self._workers:
            if worker.process.stdin:
                worker.process.stdin.close()
        for worker in self._workers:
            try:
                worker.process.wait(10)
            except subprocess.TimeoutExpired:
                worker.process.kill()
                worker.process.wait()
        self._workers.clear()

    def _start(self) -> _Worker:
        process = subprocess.Popen(
            [sys.executable, "-m", "maya.recipe_search.trials.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C is ours to pass on
        )
        worker = _Worker(process)
        self._workers.append(worker)
        assert process.stdout is not None
        self._selector.register(process.stdout, selectors.EVENT_READ, worker)
        return worker

    def _drop(self, worker: _Worker) -> None:
        assert worker.process.stdout is not None
        self._selector.unregister(worker.process.stdout)
        worker.process.wait()
        self._workers.remove(worker)

    def _wait_for_memory(self) -> None:
        """Another trial may wait for those that run, but not for ever for somebody else."""
        while available_bytes() < TRIAL_BYTES and any(w.job is not None for w in self._workers):
            if self._selector.select(timeout=0):
                return  # one has just ended; its memory is free
            time.sleep(_MEMORY_POLL_S)


def local_size(wanted: int | None) -> int:
    """Workers that this machine carries, or as many as are wanted."""
    if wanted is not None:
        if wanted < 1:
            raise MayaError("--jobs must be at least 1")
        return wanted
    cores = len(os.sched_getaffinity(0))
    return max(1, min(cores, available_bytes() // TRIAL_BYTES))


def available_bytes() -> int:
    """Memory that can be had without swapping."""
    for line in Path("/proc/meminfo").read_text("ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return TRIAL_BYTES
