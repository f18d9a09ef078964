"""How good the search is: against recorded answers of whole spaces, and on the clock."""

import statistics
import tempfile
from pathlib import Path

from benchmarks.result import Result
from benchmarks.search_table import TablePool, space_file, table, table_file
from maya.recipe_search import search
from maya.recipe_search.answers.answer import answer_of
from maya.recipe_search.engine import FileChanges, SearchOptions, job_of, prepare
from maya.recipe_search.space.file import read_search_file

SHARE = 0.25  # of the feasible points that may be evaluated
SEEDS = 5
DECLARED = {"micro_batch": "rises", "checkpoint": "falls", "keep_parameters": "rises"}


def search_ddp_fsdp() -> Result | None:
    """DDP and FSDP2 knobs of a GPT."""
    return _quality("ddp_fsdp")


def search_megatron() -> Result | None:
    """megatron-core's parallelisms on 32 GPUs."""
    return _quality("megatron")


def search_zero() -> Result | None:
    """DeepSpeed's ZeRO stages and offload on 16 GPUs."""
    return _quality("zero")


def search_memory() -> Result | None:
    """A space of which a third runs out of memory; how memory goes is learnt."""
    return _quality("memory")


def search_pruning() -> Result | None:
    """Points of that space that are ruled out although they fit, when all of it is searched."""
    name = "memory"
    if not table_file(name).exists():
        return None
    rows = table(name)
    told, wrong = [], 0
    for words, knobs in (("learnt", {}), ("declared", DECLARED)):
        runs = [_replay(name, rows, seed, knobs, share=1.0)[1] for seed in range(SEEDS)]
        wrong += sum(rows[identity]["status"] == "ok" for skipped in runs for identity in skipped)
        saved = sorted(len(skipped) for skipped in runs)
        told.append(f"{words}: {saved[0]} to {saved[-1]}")
    lost = sum(row["status"] == "oom" for row in rows.values())
    detail = (
        f"of {lost} that run out of memory, not emulated ({'; '.join(told)}), {SEEDS} seeds each"
    )
    return Result("search: points ruled out wrongly", wrong, 0, "", detail)


def _quality(name: str) -> Result | None:
    """Distance from the best point with a quarter of the evaluations, median over seeds."""
    if not table_file(name).exists():
        return None
    rows = table(name)
    best = min(row["step_ms"] for row in rows.values() if row["status"] == "ok")
    fits = sum(row["status"] == "ok" for row in rows.values())
    gaps, wrong, pruned = [], 0, []
    for seed in range(SEEDS):
        found, skipped = _replay(name, rows, seed)
        gaps.append((found / best - 1) * 100)
        pruned.append(len(skipped))
        wrong += sum(rows[identity]["status"] == "ok" for identity in skipped)
    detail = (
        f"{len(rows)} points, {fits} fit; per seed: {', '.join(f'{gap:.2f}' for gap in gaps)} %; "
        f"pruned {min(pruned)} to {max(pruned)}, {wrong} of them wrongly"
    )
    value = statistics.median(gaps) if not wrong else float("inf")
    return Result(f"search {name}: above the best", value, 1.0, "%", detail)


def _replay(
    name: str,
    rows: dict[str, dict[str, object]],
    seed: int,
    memory: dict[str, str] | None = None,
    share: float = SHARE,
) -> tuple[float, list[str]]:
    """The best step that is found, and the points that were ruled out."""
    file, base = read_search_file(space_file(name))
    knobs = {
        key: knob.model_copy(update={"memory": (memory or {}).get(key, knob.memory)})
        for key, knob in file.knobs.items()
    }
    file = file.model_copy(update={"knobs": knobs, "directory": str(base / file.directory)})
    with tempfile.TemporaryDirectory() as directory:
        options = SearchOptions(output=Path(directory), storage="sqlite://", jobs=TablePool.size)
        state = prepare(file, options)
        points = state.space.points
        keys = {job_of(state, 0, point).capture_key: point.identity for point in points}
        trials = int(share * len(points))
        found = search(
            file,
            options=options,
            # Who tries everything needs no sampler.
            changes=FileChanges(trials, "tpe" if share < 1 else "random", seed),
            pool=TablePool(rows, keys),
        )
        best = answer_of(found).best
        step = best.outcome.metrics["step_ms"] if best else None
        return step or float("inf"), list(found.skipped)
