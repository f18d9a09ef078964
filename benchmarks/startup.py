"""Importing torch under the fakes against importing it with NVIDIA's own libraries."""

import os
import subprocess
import sys

from benchmarks.emulated import SCRIPTS, figure, run
from benchmarks.result import Result

ROUNDS = 3


def startup() -> Result | None:
    """Needs MAYA_FULL_PYTHON: an interpreter with the same torch and all of its nvidia packages.

    Without a GPU the plain interpreter can only run its operation on the CPU, which is less work.
    """
    reference = os.environ.get("MAYA_FULL_PYTHON")
    if not reference:
        print("start-up: set MAYA_FULL_PYTHON to a full torch install to measure", file=sys.stderr)
        return None
    fakes, plain = [], []
    for _ in range(ROUNDS):
        fakes.append(figure(run("one_op.py", "cuda")[0], "process_s"))
        command = [reference, str(SCRIPTS / "one_op.py"), "cpu"]
        plain.append(figure(subprocess.check_output(command, text=True), "process_s"))
    return Result(
        "start-up under the fakes / with NVIDIA's libraries",
        min(fakes) / min(plain),
        1.0,
        "x",
        f"{min(fakes):.2f} s against {min(plain):.2f} s of CPU",
    )
