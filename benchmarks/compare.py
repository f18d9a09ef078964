"""What recording, estimating and simulating cost beside another commit, in one run.

    python -m benchmarks compare COMMIT [--rounds 5]

The commit is built in a temporary directory and measured by its own benchmarks, in turn with this
tree, so that neighbours on the machine slow both alike. The least of all rounds counts.
"""

import argparse
import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

LIMIT = 1.03
_ROOT = Path(__file__).parents[1]
# Of each tree's own benchmarks: a program that prints the figure.
_FIGURES = {
    "recorded GPT-2 step, ms": "from benchmarks.emulated import figure, run;"
    " print(figure(run('gpt2_step.py')[0], 'recorded_ms'))",
    "recorded launch, us": "from benchmarks.recording import launch; print(launch().value)",
    "estimate of a known kernel, us": "from benchmarks.estimating import estimate_known;"
    " print(estimate_known().value)",
    "simulated operation, ns": "from benchmarks.simulation import operations_per_second;"
    " print(operations_per_second().value)",
}


def main(arguments: Sequence[str]) -> int:
    """Print the table; 1 if something became slower by more than the limit."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks compare")
    parser.add_argument("commit", help="what to compare this tree with")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as directory:
        before = build(options.commit, Path(directory))
        least = {
            name: _least_of_each(program, before, options.rounds)
            for name, program in _FIGURES.items()
        }
    table = Table("figure", options.commit, "now", "ratio", "")
    slower = 0
    for name, (then, now) in least.items():
        slower += now > LIMIT * then
        verdict = "SLOWER" if now > LIMIT * then else "ok"
        table.add_row(name, f"{then:.3f}", f"{now:.3f}", f"{now / then:.3f}", verdict)
    Console(width=100).print(table)
    return int(slower > 0)


def build(commit: str, directory: Path) -> Path:
    """A tree of the commit with its native libraries; its interpreter is in `venv`."""
    tree = directory / "tree"
    tree.mkdir()
    packed = subprocess.run(["git", "archive", commit], cwd=_ROOT, check=True, capture_output=True)
    subprocess.run(["tar", "-x", "-C", tree], input=packed.stdout, check=True)
    cmake = Path(sys.executable).with_name("cmake")
    steps: tuple[tuple[str | Path, ...], ...] = (
        ("-S", tree, "-B", tree / "build", "-DCMAKE_BUILD_TYPE=Release"),
        ("--build", tree / "build", "--parallel", str(os.cpu_count())),
        ("--install", tree / "build", "--prefix", tree / "src"),
    )
    for step in steps:
        print("cmake", *step, file=sys.stderr, flush=True)
        subprocess.run([cmake, *step], check=True, stdout=subprocess.DEVNULL)
    # This environment's packages without its maya, as its path files are not followed from here.
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tree / "venv"], check=True)
    (site,) = (tree / "venv" / "lib").glob("python*/site-packages")
    (site / "other.pth").write_text(f"{tree / 'src'}\n{sysconfig.get_path('purelib')}\n")
    return tree


def _least_of_each(program: str, before: Path, rounds: int) -> tuple[float, float]:
    pairs = [
        (
            _figure(before / "venv" / "bin" / "python", before, program),
            _figure(Path(sys.executable), _ROOT, program),
        )
        for _ in range(rounds)
    ]
    then, now = zip(*pairs, strict=True)
    return min(then), min(now)


def _figure(python: Path, tree: Path, program: str) -> float:
    told = subprocess.run(
        [python, "-c", program], cwd=tree, check=True, capture_output=True, text=True
    )
    return float(told.stdout.split()[-1])
