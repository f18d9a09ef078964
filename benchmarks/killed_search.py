"""A small search that is killed, continued and compared with one that nobody disturbed."""

import json
import os
import sqlite3
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from benchmarks.emulated import SCRIPTS

Answer = list[tuple[Any, ...]]
FILE: dict[str, Any] = {
    "command": [sys.executable, f"{SCRIPTS}/recipe.py", "--batch", "{batch}"],
    "clusters": ["h100:1"],
    "knobs": {"batch": {"choices": [64, 1024, 4096, 16384]}},
    "host_scale": 0,  # CPU time is measured anew in every run
    "sampler": "grid",
    "prune": False,
}


class SearchCase:
    """One search in a directory of its own."""

    def __init__(self, directory: Path, backend: str) -> None:
        self.directory, self.name = directory, f"search ({backend})"
        path = directory / "search.yaml"
        path.write_text(yaml.safe_dump(FILE), encoding="utf-8")
        self.words = words_of(path, directory, backend)
        self.usual_s = undisturbed()[1]

    def results(self) -> dict[int, str]:
        """Finished trials by number, as the study has them."""
        path = self.directory / "found" / "study.db"
        if not path.exists():
            return {}
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as study:
            try:
                rows = study.execute(
                    "select t.number, a.value_json from trials t join trial_user_attributes a "
                    "on a.trial_id = t.trial_id where a.key = 'outcome'"
                ).fetchall()
            except sqlite3.OperationalError:  # killed before its tables were made
                return {}
        return dict(rows)

    def lost(self, before: dict[int, str]) -> list[str]:
        """Results that were there and are not, or are others."""
        now = self.results()
        return [
            f"trial {number} was lost or changed"
            for number in before
            if now.get(number) != before[number]
        ]

    def finish(self) -> list[str]:
        """Continue to the end: what differs from the search that nobody disturbed."""
        before = self.results()
        done = subprocess.run(self.words, check=False, capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            return [f"the continued search ended with {done.returncode}: {done.stderr[-200:]}"]
        faults = self.lost(before)
        answer = answer_in(self.directory / "found")
        if len(self.results()) != len(answer):
            ranked = {row[0] for row in answer}
            others = [text for number, text in self.results().items() if number not in ranked]
            faults.append(f"{len(self.results())} results for {len(answer)} recipes: {others}")
        if answer != undisturbed()[0]:
            faults.append(f"another answer: {answer} instead of {undisturbed()[0]}")
        return faults


def words_of(file: Path, directory: Path, backend: str = "local") -> list[str]:
    """The command, which continues what is there."""
    words = [sys.executable, "-m", "maya", "search", str(file), "--jobs", "2", "--backend", backend]
    return [*words, "-o", str(directory / "found")]


def answer_in(directory: Path) -> Answer:
    """Every recipe with what was predicted, best first."""
    rows = json.loads((directory / "answer.json").read_text("utf-8"))["ranked"]
    return [(row["trial"], row["knobs"], round(row["metrics"]["step_ms"], 6)) for row in rows]


@cache
def undisturbed() -> tuple[Answer, float]:
    """The answer, and how long it took."""
    with TemporaryDirectory() as name:
        path = Path(name) / "search.yaml"
        path.write_text(yaml.safe_dump(FILE), encoding="utf-8")
        began = time.monotonic()
        subprocess.run(words_of(path, Path(name)), check=True, env=os.environ, capture_output=True)
        return answer_in(Path(name) / "found"), time.monotonic() - began
