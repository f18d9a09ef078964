"""Recorded answers of whole spaces, so that samplers can be judged without emulating again.

    maya search benchmarks/spaces/NAME.yaml --no-prune --sampler grid --trials 100000 -o DIR
    python -m benchmarks.search_table NAME DIR

writes benchmarks/data/search_NAME.json from a search that has tried every point. Where that takes
too long, `--no-prune` is left out and `--pruned` added to the second line: points that cannot win
are then ended early ("hopeless", with what their step takes at least) or not run ("pruned").

    python -m benchmarks.search_table NAME DIR --failed
    python -m benchmarks.search_table NAME DIR --best 20
    python -m benchmarks.search_table NAME DIR --ended-early 12

try points again, to their end, and leave the others as they are: those that failed, the best ones
(durations may be estimated otherwise since), a sample of those that were ended early or not run.
"""

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

from maya.recipe_search.choice.history import Done
from maya.recipe_search.choice.prune import MemoryRules
from maya.recipe_search.engine import FileChanges, Search, SearchOptions, job_of, prepare
from maya.recipe_search.space.space import tokens_per_step
from maya.recipe_search.trials.jobs import TrialJob, TrialOutcome
from maya.recipe_search.trials.trial import run_trial

HERE = Path(__file__).parent
KEPT = ("step_ms", "mfu", "low_ms", "high_ms", "peak_bytes", "headroom_bytes", "usd_per_step")


def space_file(name: str) -> Path:
    """The search file of a recorded space."""
    return HERE / "spaces" / f"{name}.yaml"


def table_file(name: str) -> Path:
    """Its recorded answer."""
    return HERE / "data" / f"search_{name}.json"


def record(name: str, directory: Path, pruned: bool = False) -> None:
    """Write the table of a finished search."""
    changes = FileChanges(100_000, "grid", prune=None if pruned else False)
    state = prepare(space_file(name), SearchOptions(output=directory, name=name), changes)
    rows: dict[str, dict[str, Any]] = {}
    for number, point, outcome in state.record.trials():
        if outcome is None:
            raise SystemExit(f"trial {number} has no outcome: continue the search first")
        state.history[number] = Done(number, point, outcome, tokens_per_step(state.space, point))
    for done in state.believed():
        point, outcome = done.point, done.outcome
        metrics = {key: outcome.metrics[key] for key in KEPT if key in outcome.metrics}
        rows[point.identity] = {"status": outcome.status, **metrics}
    if pruned:
        rows = _ruled_out(state) | rows
    if missing := len(state.space.points) - len(rows):
        raise SystemExit(f"{missing} points were not tried: continue the search first")
    how = "" if pruned else " --no-prune"
    command = f"maya search benchmarks/spaces/{name}.yaml{how} --sampler grid --trials 100000"
    content = {"commit": _commit(), "command": command, "points": rows}
    table_file(name).write_text(json.dumps(content, indent=0) + "\n", encoding="utf-8")


def repeat(name: str, directory: Path, which: str, most: int) -> None:
    """Try some points once more."""
    content = json.loads(table_file(name).read_text("utf-8"))
    state = prepare(space_file(name), SearchOptions(output=directory, storage="sqlite://"))
    points = [
        p for p in state.space.points if p.identity in _chosen(content["points"], which, most)
    ]
    for number, point in enumerate(points):
        outcome = run_trial(job_of(state, number, point))
        metrics = {key: outcome.metrics[key] for key in KEPT if key in outcome.metrics}
        before, now = content["points"][point.identity], {"status": outcome.status, **metrics}
        content["points"][point.identity] = now
        told = (f"{row['status']} {row.get('step_ms', 0):.2f} ms" for row in (before, now))
        print(f"{point.label()}: {' -> '.join(told)}", flush=True)
    content.setdefault("repeated", {})[which] = {"commit": _commit(), "points": len(points)}
    table_file(name).write_text(json.dumps(content, indent=0) + "\n", encoding="utf-8")


def _chosen(rows: dict[str, dict[str, Any]], which: str, most: int) -> set[str]:
    """Identities of the points to try again."""
    status = {"--failed": ("failed",), "--best": ("ok",), "--ended-early": ("hopeless", "pruned")}
    found = sorted(identity for identity, row in rows.items() if row["status"] in status[which])
    if which == "--best":
        found.sort(key=lambda identity: float(rows[identity]["step_ms"]))
    elif which == "--ended-early":
        random.Random(0).shuffle(found)
    return set(found[:most])


def _commit() -> str:
    words = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


def _ruled_out(state: Search) -> dict[str, dict[str, Any]]:
    """Points that must run out of memory, by the trials there are."""
    rules = MemoryRules(state.space, state.done())
    points = (point for point in state.space.points if rules.reason(point))
    return {point.identity: {"status": "pruned"} for point in points}


def table(name: str) -> dict[str, dict[str, Any]]:
    """The recorded outcomes by the identity of their point."""
    loaded: dict[str, dict[str, Any]] = json.loads(table_file(name).read_text("utf-8"))["points"]
    return loaded


class TablePool:
    """Answers trials from a table; `points` names them by their number."""

    size = 2

    def __init__(self, rows: dict[str, dict[str, Any]], identities: dict[str, str]) -> None:
        self._rows = rows
        self._identities = identities  # by the key of the capture
        self._jobs: list[TrialJob] = []
        self.evaluated = 0

    def submit(self, job: TrialJob) -> None:
        """Take a job."""
        self._jobs.append(job)

    def next(self) -> tuple[int, TrialOutcome]:
        """Answer the oldest."""
        job = self._jobs.pop(0)
        self.evaluated += 1
        row = dict(self._rows[self._identities[job.capture_key]])
        status, step_ms = row.pop("status"), row.get("step_ms")
        if status == "ok" and job.stop_above_ms and step_ms > job.stop_above_ms:
            # At the earliest, so that the sampler learns as little as it may.
            known = {"step_ms": job.stop_above_ms, "usd_per_step": row["usd_per_step"]}
            return job.number, TrialOutcome("hopeless", metrics=known)
        return job.number, TrialOutcome("oom" if status == "pruned" else status, metrics=row)

    def close(self) -> None:
        """Nothing runs."""


if __name__ == "__main__":
    name, directory, *rest = sys.argv[1:]
    if rest and rest[0] != "--pruned":
        repeat(name, Path(directory), rest[0], int(rest[1]) if len(rest) > 1 else sys.maxsize)
    else:
        record(name, Path(directory), bool(rest))
