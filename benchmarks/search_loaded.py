"""A search over recipes that differ in their host's work only, idle and with its cores loaded.

    python -m benchmarks search_loaded

Batches of one optimizer are the same work for the host; the optimizers are not. So both searches
must choose the same optimizer and call its batches equal.
"""

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from benchmarks.emulated import SCRIPTS
from benchmarks.repeatability import BUSY_PROCESSES, busy
from benchmarks.result import Result

ALIKE, DIFFERENT = "batch", "optimizer"
FILE: dict[str, Any] = {
    "command": [
        *(sys.executable, f"{SCRIPTS}/host_recipes.py"),
        *("--batch", "{batch}", "--optimizer", "{optimizer}"),
    ],
    "clusters": ["h100:1"],
    "knobs": {
        ALIKE: {"choices": [64, 128, 192, 256]},
        DIFFERENT: {"choices": ["single", "fused", "foreach"]},
    },
    "objectives": "step_time",
    "sampler": "grid",
    "prune": False,
}


@dataclass(frozen=True, slots=True)
class Found:
    """What one search answered: recipes from the best on, and how many are called equal to it."""

    order: tuple[tuple[str, float], ...]  # the way that differs, and the step in ms
    equal: int

    @property
    def winner(self) -> str:
        """What the best recipe has chosen."""
        return self.order[0][0]

    def steps(self, way: str) -> list[float]:
        """Of all recipes that are the same work."""
        return [step_ms for own, step_ms in self.order if own == way]

    def spread(self) -> float:
        """The largest coefficient of variation among recipes that are the same work."""
        all_steps = [self.steps(way) for way in {way for way, _ in self.order}]
        return max(statistics.stdev(steps) / statistics.mean(steps) for steps in all_steps)

    def parted(self) -> int:
        """Recipes that are the winner's work and are not called equal to it."""
        return sum(way == self.winner for way, _ in self.order[self.equal :])


def search_loaded() -> Result:
    """Disagreements: another winner, and recipes of the same work that are told apart."""
    idle = _search()
    with busy(BUSY_PROCESSES):
        loaded = _search()
    return judged(idle, loaded)


def judged(idle: Found, loaded: Found) -> Result:
    """The two answers side by side."""
    wrong = (idle.winner != loaded.winner) + idle.parted() + loaded.parted()
    ratios = [
        f"{way} {statistics.mean(loaded.steps(way)) / statistics.mean(idle.steps(way)):.3f}"
        for way in dict(idle.order)
    ]
    detail = (
        f"winner {idle.winner}, loaded {loaded.winner}; equal to the best {idle.equal} and "
        f"{loaded.equal} of {len(idle.order)}; variation among equal work {idle.spread():.1%} and "
        f"{loaded.spread():.1%}; loaded / idle: {', '.join(ratios)}"
    )
    return Result("search: answers that a loaded machine changes", wrong, 0, "", detail)


def _search() -> Found:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "search.yaml"
        path.write_text(yaml.safe_dump(FILE), encoding="utf-8")
        words = [sys.executable, "-m", "maya", "search", str(path), "--jobs", "2", "--json"]
        done = subprocess.run([*words, "-o", f"{name}/found"], capture_output=True, check=True)
    return found_in(json.loads(done.stdout))


def found_in(answer: dict[str, Any]) -> Found:
    """Of the search's answer as data."""
    rows: Sequence[dict[str, Any]] = answer["ranked"]
    order = tuple((row["knobs"][DIFFERENT], row["metrics"]["step_ms"]) for row in rows)
    return Found(order, answer["equal_to_best"])
