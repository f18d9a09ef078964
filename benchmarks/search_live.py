"""Searches that really emulate: the large space against its recorded best; one that is killed."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path
from typing import Any

import yaml

from benchmarks.result import Result
from benchmarks.search_clock import activate
from benchmarks.search_table import space_file, table, table_file
from maya.recipe_search import search
from maya.recipe_search.answers.answer import answer_of
from maya.recipe_search.engine import SearchOptions

LARGE = "megatron_1920"
MINUTES = 30
KILLED = Path(__file__).parents[1] / "examples/search/gpt2.yaml"
KILL_AFTER = 4  # trials


def search_1920() -> Result | None:
    """The best of 1,920 Megatron recipes, searched on this machine; minutes to find it."""
    if not table_file(LARGE).exists():
        return None
    best = min(row["step_ms"] for row in table(LARGE).values() if row["status"] == "ok")
    reached: list[float] = []
    started = time.monotonic()

    def progress(done: Any, _total: int) -> None:
        step = done.outcome.metrics.get("step_ms") if done.outcome.status == "ok" else None
        if step is not None and step <= 1.01 * best and not reached:
            reached.append((time.monotonic() - started) / 60)

    with tempfile.TemporaryDirectory() as directory:
        state = search(
            space_file(LARGE), options=SearchOptions(output=Path(directory)), progress=progress
        )
        answer = answer_of(state)
    counts = answer.document.counts
    found = answer.best.outcome.metrics["step_ms"] if answer.best else None
    detail = ", ".join(f"{number} {name}" for name, number in asdict(counts).items())
    if found:
        detail = f"{(found / best - 1) * 100:.2f} % above the best of {best:.1f} ms; {detail}"
    detail += f"; the whole search took {state.seconds / 60:.0f} min"
    value = reached[0] if reached else float("inf")
    return Result("search 1,920: to within 1 % of the best", value, MINUTES, "min", detail)


def search_killed() -> Result:
    """Recipes that a search answers otherwise when it was killed and continued."""
    activate()
    with tempfile.TemporaryDirectory() as directory:
        whole = _answer(_words(Path(directory) / "whole"))
        words = _words(Path(directory) / "killed")
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            assert process.stderr is not None
            for line in process.stderr:
                if line.startswith(f"trial {KILL_AFTER - 1}:".encode()):
                    break
            os.kill(process.pid, signal.SIGKILL)
        continued = _answer(words)
    different = sum(a != b for a, b in zip_longest(whole, continued))
    detail = f"killed -9 after {KILL_AFTER} of 8 trials, then continued; {len(whole)} recipes fit"
    return Result("search: answers that a kill changes", different, 0, "", detail)


def _words(directory: Path) -> list[str]:
    """CPU time is measured anew in every run, so it must not count."""
    file = yaml.safe_load(KILLED.read_text("utf-8"))
    file |= {"host_scale": 0, "directory": str(KILLED.parents[2]), "sampler": "tpe", "trials": 8}
    directory.mkdir()
    path = directory / "search.yaml"
    path.write_text(yaml.safe_dump(file), encoding="utf-8")
    command = [sys.executable, "-m", "maya", "search", str(path)]
    return [*command, "--jobs", "1", "--json", "-o", str(directory / "search")]


def _answer(words: list[str]) -> list[tuple[Any, ...]]:
    """Every recipe in its order, with what was predicted."""
    done = subprocess.run(words, capture_output=True, check=True)
    rows = json.loads(done.stdout)["ranked"]
    return [(row["trial"], row["cluster"], row["knobs"], row["metrics"]["step_ms"]) for row in rows]
