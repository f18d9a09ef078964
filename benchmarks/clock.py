"""What scripts say of their own time under the virtual clock, and what the clock costs.

    python -m benchmarks clock [--programs gpt2 lstm] [--keep FILE]

Each script runs once without the clock and once with it, to its end. Its own figures are compared
with Maya's step of the run without, and so is the CPU time of all its processes. Every finished
pair of runs is a line of FILE, and those already there are not made again.
"""

import argparse
import contextlib
import ctypes
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks import repeatability
from benchmarks.emulated import SCRIPTS
from maya.rundir import names

DIFFERENCE_LIMIT, OVERHEAD_LIMIT = 0.02, 1.3
_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
_TIMER = f"{SCRIPTS}/own_time.py"
_MORE_STEPS_THAN_IT_HAS = "1000"
PROGRAMS: dict[str, tuple[str, ...]] = {
    **{name: repeatability.PROGRAMS[name] for name in ("gpt2", "resnet50", "trainer")},
    "compiled": ("h100:1", f"{SCRIPTS}/compiled.py"),
    **{name: repeatability.PROGRAMS[name] for name in ("ddp", "lstm")},
}


@dataclass(frozen=True, slots=True)
class Timing:
    """One run of a script that times itself."""

    step_ms: float
    own_ms: dict[str, float]  # what the script printed, by clock
    cpu_s: float
    bound: str
    load_per_cpu: float


@dataclass(frozen=True, slots=True)
class Pair:
    """A script without the clock and with it."""

    program: str
    without: Timing
    shown: Timing

    @property
    def difference(self) -> float:
        """Of the script's own figure from Maya's, by the clock that is further from it."""
        return max((own / self.without.step_ms - 1 for own in self.shown.own_ms.values()), key=abs)

    @property
    def overhead(self) -> float:
        """CPU time with the clock over that without."""
        return self.shown.cpu_s / self.without.cpu_s

    @property
    def good(self) -> bool:
        """Whether it keeps the promise."""
        return abs(self.difference) <= DIFFERENCE_LIMIT and self.overhead <= OVERHEAD_LIMIT


def main(arguments: Sequence[str]) -> int:
    """Make the runs that are missing, print the table; 1 when a limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks clock", description=__doc__)
    parser.add_argument("--programs", nargs="+", choices=PROGRAMS, default=list(PROGRAMS))
    parser.add_argument("--keep", type=Path, default=Path("clock.jsonl"))
    options = parser.parse_args(arguments)
    pairs = [_pair(options.keep, program) for program in options.programs]
    Console(width=120).print(table_of(pairs))
    return 0 if all(pair.good for pair in pairs) else 1


def timed_words(words: Sequence[str]) -> list[str]:
    """The command with the timer before its script."""
    script = next(place for place, word in enumerate(words) if word.endswith(".py"))
    return [*words[:script], _TIMER, *words[script:]]


def own_times(output: str) -> dict[str, float]:
    """What the script printed."""
    lines = (line.split() for line in output.splitlines())
    return {w[0]: float(w[1]) for w in lines if len(w) == 2 and w[0] in ("perf_counter", "events")}


def _pair(file: Path, program: str) -> Pair:
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    for known in map(json.loads, lines):
        if known["program"] == program:
            return Pair(program, Timing(**known["without"]), Timing(**known["shown"]))
    found = Pair(program, _timing(program, "real"), _timing(program, "virtual"))
    with file.open("a", encoding="utf-8") as kept:
        kept.write(json.dumps(asdict(found)) + "\n")
    return found


def _timing(program: str, clock: str) -> Timing:
    print(f"{program}, {clock} clock", file=sys.stderr)
    cluster, *words = PROGRAMS[program]
    with tempfile.TemporaryDirectory() as directory:
        run = Path(directory) / "run"
        if program == "trainer":
            words += ["--output_dir", f"{directory}/trained"]
        options = ["--cluster", cluster, "--clock", clock, "--steps", _MORE_STEPS_THAN_IT_HAS]
        command = [sys.executable, "-m", "maya", "run", *options, "-o", str(run), "--"]
        # What is compiled is compiled in both.
        env = os.environ | {"TORCHINDUCTOR_CACHE_DIR": f"{directory}/inductor"}
        output, cpu_s = _ran([*command, sys.executable, *timed_words(words)], env, directory)
        summary = json.loads((run / names.SUMMARY).read_text("utf-8"))
        host = json.loads((run / names.RUN).read_text("utf-8"))["host"]
    step_ms, bound = summary["step"]["time_ms"], summary["host"]["bound"]
    return Timing(step_ms, own_times(output), cpu_s, bound, host["load_per_cpu"])


def _ran(command: Sequence[str], env: dict[str, str], directory: str) -> tuple[str, float]:
    """What it printed, and the CPU time of all its processes."""
    printed, said = (Path(directory) / name for name in ("stdout", "stderr"))
    _adopt_orphans()
    before_s = _children_cpu_s()
    with printed.open("wb") as stdout, said.open("wb") as stderr:
        done = subprocess.run(command, env=env, stdout=stdout, stderr=stderr, check=False)
    _await_orphans()
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{said.read_text('utf-8')}")
    return printed.read_text("utf-8"), _children_cpu_s() - before_s


def _adopt_orphans() -> None:
    """CPU time counts for whoever waits for the process, and some outlive their parents."""
    if ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise RuntimeError("this kernel lets nobody adopt orphans")


def _await_orphans() -> None:
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()


def _children_cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def table_of(pairs: Sequence[Pair]) -> Table:
    """As published."""
    clocks = ("perf_counter", "events")
    table = Table(
        *("script", "bound", *clocks, "Maya", "difference", "Maya, with it"),
        *("CPU", "with it", "overhead", "load", ""),
    )
    for pair in pairs:
        table.add_row(
            pair.program,
            pair.without.bound,
            *(f"{pair.shown.own_ms[clock]:.2f} ms" for clock in clocks),
            f"{pair.without.step_ms:.2f} ms",
            f"{pair.difference:+.1%}",
            f"{pair.shown.step_ms:.2f} ms",
            f"{pair.without.cpu_s:.1f} s",
            f"{pair.shown.cpu_s:.1f} s",
            f"{pair.overhead:.2f}",
            f"{pair.without.load_per_cpu:.1f}, {pair.shown.load_per_cpu:.1f}",
            "ok" if pair.good else "MISSED",
        )
    return table
