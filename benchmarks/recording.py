"""What recording costs a training step, and what a launch costs."""

import os
import statistics
import subprocess
import tempfile
from pathlib import Path

from benchmarks.emulated import figure, run
from benchmarks.result import Result
from maya.emulate.native import native_dir

ROUNDS = 6  # processes differ by 15 % among themselves (memory layout, neighbours on the machine)


def training_step() -> Result:
    """GPT-2 124M with recording on against off; CPU time, runs alternating."""
    on, off = [], []
    for _ in range(ROUNDS):
        on.append(figure(run("gpt2_step.py")[0], "step_cpu_ms"))
        off.append(figure(run("gpt2_step.py", record=False)[0], "step_cpu_ms"))
    ratio = min(on) / min(off)
    return Result(
        "recorded GPT-2 step / unrecorded",
        ratio,
        1.15,
        "x",
        f"{min(on):.1f} ms against {min(off):.1f} ms of CPU",
    )


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
