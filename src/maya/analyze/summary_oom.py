"""summary.json of a script that ran out of memory: the same keys, without a step."""

from typing import Any

from maya.analyze.memory import memory_of
from maya.analyze.predict import rank_of
from maya.analyze.summary import SCHEMA_VERSION
from maya.analyze.summary_memory import driver_failure, memory_summary
from maya.hardware import Cluster
from maya.trace import Run, summarize
from maya.trace.summary import total


def oom_summary(run: Run, cluster: Cluster) -> dict[str, Any]:
    """What is known of a run that never reached a steady step."""
    ranks = [memory_of(capture, rank_of(capture, i)) for i, capture in enumerate(run.captures)]
    counted = summarize(run.captures)
    hourly = cluster.usd_per_hour
    memory = memory_summary(ranks, cluster.gpu, failed=True)
    return {
        "schema_version": SCHEMA_VERSION,
        "cluster": cluster.name,
        "gpus": cluster.gpus,
        "command": run.description.get("command", []),
        "step": None,
        "mfu": None,
        "hfu": None,
        "model_flops_per_step": None,
        "memory": memory | {"reason": driver_failure(run)},
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
        "notes": [],
        "emulation": {
            "launched_ranks": len(run.captures),
            "wall_s": run.description.get("wall_seconds"),
            "calls": counted.events,
            "kernels": total(counted.kernels),
            "gpu": run.description.get("gpu"),
        },
    }
