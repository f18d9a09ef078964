"""What recording costs a training step, and what a launch costs."""

import os
import statistics
import subprocess
import tempfile
from pathlib import Path

from benchmarks.emulated import figure, run
from benchmarks.result import Result
from maya.emulator.native import native_dir

ROUNDS = 6  # neighbours on the machine disturb some


def training_step() -> Result:
    """GPT-2 124M with recording on against off, step by step within one process; CPU time."""
    stdout = run("gpt2_step.py")[0]
    on, off = figure(stdout, "recorded_ms"), figure(stdout, "unrecorded_ms")
    detail = f"{on:.1f} ms against {off:.1f} ms of CPU"
    ratio = figure(stdout, "ratio")
    return Result("recorded GPT-2 step / unrecorded", ratio, 1.15, "x", detail)


def launch() -> Result:
    """One driver launch of a three-parameter kernel, in a tight loop of a C++ program."""
    source = Path(__file__).parent / "launch_cost.cpp"
    with tempfile.TemporaryDirectory() as directory:
        program = Path(directory) / "launch_cost"
        library = native_dir()
        subprocess.run(
            [
                "g++",
                "-O2",
                source,
                "-o",
                program,
                library / "libcuda.so.1",
                f"-Wl,-rpath,{library}",
            ],
            check=True,
        )
        environment = os.environ | {"MAYA_RUN_DIR": directory, "MAYA_STEPS": "0"}
        times = [
            float(subprocess.check_output([program], env=environment, text=True))
            for _ in range(ROUNDS)
        ]
    return Result("one intercepted and recorded launch", min(times), 1.0, "us", _spread(times))


def _spread(times: list[float]) -> str:
    return f"median of {len(times)} runs {statistics.median(times):.2f} us"
