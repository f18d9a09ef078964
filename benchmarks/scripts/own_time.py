"""Runs a training script that times itself: `own_time.py SCRIPT ARGUMENTS...`.

After some steps of its optimizer it waits for the device and starts both clocks; some steps later
it waits again, prints what a step took by each, and ends the script.
"""

import os
import runpy
import sys
import time
from pathlib import Path

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

WARM_UP, TIMED = 20, 20


class StepTimer:
    """Counts the steps of the script's optimizer."""

    def __init__(self) -> None:
        self.steps = 0
        self.started = 0.0

    def __call__(self, *_: object) -> None:
        """A step has been given to the device."""
        self.steps += 1
        if self.steps == WARM_UP:
            self.begin, self.end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            torch.cuda.synchronize()
            self.started = time.perf_counter()
            self.begin.record()
        elif self.steps == WARM_UP + TIMED:
            self.end.record()
            torch.cuda.synchronize()
            self.report(time.perf_counter() - self.started)

    def report(self, seconds: float) -> None:
        """Print both figures, in milliseconds a step."""
        if os.environ.get("RANK", "0") == "0":
            print(f"perf_counter {1e3 * seconds / TIMED}", flush=True)
            print(f"events {self.begin.elapsed_time(self.end) / TIMED}", flush=True)
        raise SystemExit(0)


if __name__ == "__main__":
    register_optimizer_step_post_hook(StepTimer())
    del sys.argv[0]
    sys.path[0] = str(Path(sys.argv[0]).parent)
    runpy.run_path(sys.argv[0], run_name="__main__")
