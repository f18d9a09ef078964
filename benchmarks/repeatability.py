"""How much the answer differs from run to run, on the machine as it is and with its cores loaded.

    python -m benchmarks repeatability [--runs 10] [--programs gpt2 lstm] [--keep FILE]

Every finished run is a line of FILE, and those already there are not made again. "idle" is the
machine as it is: the load column says how many threads wanted each CPU, without and with ours.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.emulated import SCRIPTS
from maya.rundir import names

BUSY_PROCESSES = 4
LIMITS = {"device": 0.02, "host": 0.04}  # coefficient of variation of the step
RATIO_LIMIT = 0.05  # loaded against idle
_EXAMPLES = Path(__file__).parents[1] / "examples"
# Computes until the process that started it is gone, however that ended.
_BUSY = """
import os, sys
while os.getppid() == int(sys.argv[1]):
    for _ in range(1 << 20):
        pass
"""
_TRAINER = ("--per_device_train_batch_size", "2", "--length", "512", "--save_strategy", "no")
PROGRAMS: dict[str, tuple[str, ...]] = {
    "gpt2": ("h100:1", f"{_EXAMPLES}/train_gpt2.py", "--batch-size", "1", "--length", "256"),
    "resnet50": ("h100:1", f"{SCRIPTS}/resnet50_loader.py"),
    "trainer": ("h100:1", f"{_EXAMPLES}/train_hf_trainer.py", *_TRAINER, "--report_to", "none"),
    "ddp": (
        *("h100:8", "-m", "torch.distributed.run", "--nproc-per-node", "8"),
        f"{SCRIPTS}/ddp_gpt2.py",
    ),
    "lstm": ("h100:1", f"{SCRIPTS}/lstm.py"),
    "ppo": ("h100:1", f"{SCRIPTS}/ppo.py"),
}


@dataclass(frozen=True, slots=True)
class Sample:
    """One run of a program."""

    program: str
    loaded: bool
    step_ms: float
    bound: str
    load_per_cpu: float


@dataclass(frozen=True, slots=True)
class Row:
    """All runs of a program."""

    program: str
    bound: str
    mean_ms: float
    variation: dict[bool, float]  # by loaded
    ratio: float  # loaded over idle
    load: dict[bool, float]  # threads that wanted each CPU

    @property
    def good(self) -> bool:
        """Whether it keeps the promise."""
        steady = all(value <= LIMITS[self.bound] for value in self.variation.values())
        return steady and abs(self.ratio - 1) <= RATIO_LIMIT


def main(arguments: Sequence[str]) -> int:
    """Make the runs that are missing, print the table; 1 when a limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks repeatability", description=__doc__)
    parser.add_argument("--runs", type=int, default=10, help="of each program, idle and loaded")
    parser.add_argument("--programs", nargs="+", choices=PROGRAMS, default=list(PROGRAMS))
    parser.add_argument("--keep", type=Path, default=Path("repeatability.jsonl"))
    options = parser.parse_args(arguments)
    if options.runs < 2:
        parser.error("--runs must be at least 2: one run does not vary")
    for program in options.programs:
        for loaded in (False, True):
            _complete(options.keep, program, loaded, options.runs)
    rows = [row_of(_known(options.keep), program, options.runs) for program in options.programs]
    Console(width=100).print(_table(rows))
    return 0 if all(row.good for row in rows) else 1


def row_of(samples: Sequence[Sample], program: str, runs: int) -> Row:
    """What the first `runs` of each condition say."""
    mean, variation, load = {}, {}, {}
    own = [sample for sample in samples if sample.program == program]
    for loaded in (False, True):
        chosen = [sample for sample in own if sample.loaded == loaded][:runs]
        steps = [sample.step_ms for sample in chosen]
        load[loaded] = statistics.mean(sample.load_per_cpu for sample in chosen)
        mean[loaded] = statistics.mean(steps)
        variation[loaded] = statistics.stdev(steps) / mean[loaded]
    bound = statistics.mode(sample.bound for sample in own)
    return Row(program, bound, mean[False], variation, mean[True] / mean[False], load)


def _complete(file: Path, program: str, loaded: bool, runs: int) -> None:
    have = sum(s.program == program and s.loaded == loaded for s in _known(file))
    for number in range(have, runs):
        print(f"{program} {'loaded' if loaded else 'idle'} {number + 1}/{runs}", file=sys.stderr)
        with busy(BUSY_PROCESSES if loaded else 0):
            sample = _sample(program, loaded)
        with file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(asdict(sample)) + "\n")


def _known(file: Path) -> list[Sample]:
    if not file.exists():
        return []
    return [Sample(**json.loads(line)) for line in file.read_text("utf-8").splitlines()]


def _sample(program: str, loaded: bool) -> Sample:
    cluster, *words = PROGRAMS[program]
    with tempfile.TemporaryDirectory() as directory:
        run = Path(directory) / "run"
        if program == "trainer":
            words += ["--output_dir", f"{directory}/trained"]
        command = [sys.executable, "-m", "maya", "run", "--cluster", cluster, "-o", str(run)]
        done = subprocess.run(
            [*command, "--", sys.executable, *words], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise RuntimeError(f"{program} failed:\n{done.stderr}")
        summary = json.loads((run / names.SUMMARY).read_text("utf-8"))
        host = json.loads((run / names.RUN).read_text("utf-8"))["host"]
    step_ms, bound = summary["step"]["time_ms"], summary["host"]["bound"]
    return Sample(program, loaded, step_ms, bound, host["load_per_cpu"])


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """So many processes that compute without end."""
    loop = [sys.executable, "-S", "-c", _BUSY, str(os.getpid())]
    started = [subprocess.Popen(loop) for _ in range(processes)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def _table(rows: Sequence[Row]) -> Table:
    table = Table("program", "bound", "step", "CV idle", "CV loaded", "loaded / idle", "load", "")
    for row in rows:
        table.add_row(
            row.program,
            row.bound,
            f"{row.mean_ms:.3f} ms",
            f"{row.variation[False]:.1%}",
            f"{row.variation[True]:.1%}",
            f"{row.ratio:.3f}",
            f"{row.load[False]:.1f}, {row.load[True]:.1f}",
            "ok" if row.good else "MISSED",
        )
    return table
