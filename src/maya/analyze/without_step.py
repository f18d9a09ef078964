"""summary.json of a run that has no step: the same keys, and why there is none."""

from typing import Any

from maya.analyze.memory import memory_of
from maya.analyze.notes import notes_of
from maya.analyze.predict import check_fits, rank_of, world_size_of
from maya.analyze.summary import SCHEMA_VERSION
from maya.analyze.summary_memory import (
    driver_failure,
    memory_summary,
    script_ran_out_of_memory,
)
from maya.hardware import Cluster
from maya.simulate.steps import find_windows
from maya.trace import Run, summarize
from maya.trace.summary import total

OUT_OF_MEMORY = "the script ran out of memory"


def no_step(run: Run) -> str | None:
    """Why there is no step to predict; None where there is one."""
    if script_ran_out_of_memory(run):
        return OUT_OF_MEMORY
    if all(window.found for window in find_windows(run.captures)):
        return None
    updates = _updates(summarize(run.captures).steps)
    return f"{_ending(run)} ({updates}): all that was recorded may be start-up"


def _updates(seen: int) -> str:
    """What was seen of optimisers. One that steps last of all leaves no work behind to show it."""
    updates = f"{seen or 'no'} update{'' if seen == 1 else 's'} of an optimiser"
    return f"{updates} with work behind, and a step lies between two"


def _ending(run: Run) -> str:
    facts = run.facts
    ended_by = facts.ended_by if facts else None
    if facts and ended_by == "max-seconds":
        return f"none was found before --max-seconds ({facts.max_seconds:g}) ended the program"
    if ended_by == "script":
        return "the program ended before one was found"
    return "none is in what was recorded"


def summary_without_step(run: Run, cluster: Cluster, reason: str) -> dict[str, Any]:
    """What is known nevertheless, which is memory; `reason`: no_step's."""
    failed = reason == OUT_OF_MEMORY
    if not failed:
        check_fits(world_size_of(run), cluster)
    ranks = [memory_of(capture, rank_of(capture, i)) for i, capture in enumerate(run.captures)]
    counted = summarize(run.captures)
    hourly = cluster.usd_per_hour
    memory = memory_summary(ranks, cluster.gpu, failed=failed)
    return {
        "schema_version": SCHEMA_VERSION,
        "cluster": cluster.name,
        "gpus": cluster.gpus,
        "command": list(run.command),
        "step": None,
        "no_step": reason,
        "mfu": None,
        "hfu": None,
        "model_flops_per_step": None,
        "memory": memory | {"reason": driver_failure(run) if failed else None},
        "device": None,
        "communication": None,
        "host": None,
        "critical_path": None,
        "cost": {
            "usd_per_hour": hourly,
            "usd_per_step": None,
            "price_date": cluster.price.date if cluster.price else None,
        },
        "throughput": {"samples_per_s": None, "tokens_per_s": None},
        "provenance": None,
        "unsupported_calls": [
            {"name": name, "count": count.calls}
            for name, count in sorted(counted.unsupported.items())
        ],
        "notes": [] if failed else notes_of(run, cluster, steady=True),
        "emulation": {
            "launched_ranks": len(run.captures),
            "wall_s": run.facts.wall_seconds if run.facts else None,
            "calls": counted.events,
            "kernels": total(counted.kernels),
            "gpu": run.facts.gpu if run.facts else None,
        },
    }
