"""What the layer over the user's files costs: the same emulation with it and without."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.emulated import SCRIPTS
from benchmarks.result import Result

ROUNDS = 5
PROGRAMS = ("gpt2_step.py", "saving_loop.py")  # one writes nothing, the other all the time
LIMIT = 3.0  # per cent


def files() -> Result:
    """CPU time of the whole emulation: the clock would count other processes, too."""
    costs = {program: _cost(program) for program in PROGRAMS}
    worst = max(costs, key=lambda program: costs[program][0])
    detail = "; ".join(
        f"{program} {with_s:.2f} s against {without_s:.2f} s"
        for program, (_, with_s, without_s) in costs.items()
    )
    return Result("cost of the layer over files", costs[worst][0], LIMIT, "%", detail)


def _cost(program: str) -> tuple[float, float, float]:
    """Per cent, and the least seconds with and without; by turns, for the same weather."""
    with_s, without_s = [], []
    for _ in range(ROUNDS):
        with_s.append(_cpu_seconds(program))
        without_s.append(_cpu_seconds(program, "--allow-writes"))
    least, bare = min(with_s), min(without_s)
    return 100 * (least / bare - 1), least, bare


def _cpu_seconds(program: str, *options: str) -> float:
    with tempfile.TemporaryDirectory() as directory:
        words = [sys.executable, "-m", "maya", "emulate", "--steps", "3", *options, "-o", "run"]
        words += ["--", sys.executable, str(SCRIPTS / program)]
        out = Path(directory, "out.txt")
        with out.open("wb") as file:
            process = subprocess.Popen(words, cwd=directory, stdout=file, stderr=file)
            _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise RuntimeError(f"{program} failed:\n{out.read_text()}")
    return used.ru_utime + used.ru_stime
