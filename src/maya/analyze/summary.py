"""summary.json: the prediction as plain data."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from maya.analyze.notes import notes_of
from maya.analyze.predict import Prediction
from maya.analyze.summary_memory import memory_summary, script_ran_out_of_memory
from maya.analyze.uncertainty import COVERAGE, data_decided
from maya.errors import MayaError
from maya.rundir import names, write_whole
from maya.trace import Run, summarize
from maya.trace.summary import total

__all__ = [
    "SCHEMA_VERSION",
    "read_summary",
    "script_ran_out_of_memory",
    "summary_of",
    "write_summary",
]

SCHEMA_VERSION = 1
_HOUR_NS = 3600e9


def summary_of(
    prediction: Prediction,
    run: Run,
    *,
    tokens_per_step: float | None = None,
    samples_per_step: float | None = None,
) -> dict[str, Any]:
    """Every key that docs/simulation.md lists."""
    step_ns, cluster = prediction.step_ns, prediction.cluster
    ranks = prediction.ranks
    hourly = cluster.usd_per_hour
    return {
        "schema_version": SCHEMA_VERSION,
        "cluster": cluster.name,
        "gpus": cluster.gpus,
        "gpus_used": prediction.world_size,
        "command": list(run.command),
        "step": {
            "time_ms": step_ns / 1e6,
            "low_ms": min(step_ns, prediction.low_ns) / 1e6,
            "high_ms": max(step_ns, prediction.high_ns) / 1e6,
            "coverage": COVERAGE,
            "count": prediction.steps,
            "steady": _steady(prediction),
        },
        "no_step": None,
        "every_rank": _every_rank(prediction),
        "mfu": _utilisation(prediction, prediction.flops.model),
        "hfu": _utilisation(prediction, prediction.flops.hardware),
        "model_flops_per_step": prediction.flops.model,
        "memory": memory_summary(prediction.memory, cluster.gpu),
        "device": {
            "busy_ms": _mean([rank.busy_ms for rank in ranks]),
            "idle_ms": _mean([rank.idle_ms for rank in ranks]),
            "compute_ms": _mean([rank.compute_ms for rank in ranks]),
        },
        "communication": {
            "total_ms": _mean([rank.communication_ms for rank in ranks]),
            "exposed_ms": _mean([rank.exposed_ms for rank in ranks]),
        },
        "host": {
            "busy_ms": max(rank.host_ms for rank in ranks),
            "bound": "host" if prediction.host_bound else "device",
            "profile": cluster.host.id,
        },
        "critical_path": prediction.path.as_json(),
        "cost": {
            "usd_per_hour": hourly,
            "usd_per_step": None if hourly is None else hourly * step_ns / _HOUR_NS,
            "price_date": cluster.price.date if cluster.price else None,
        },
        "throughput": {
            "samples_per_s": _rate(samples_per_step or prediction.batch.samples, step_ns),
            "tokens_per_s": _rate(tokens_per_step or prediction.batch.tokens, step_ns),
        },
        "provenance": prediction.provenance,
        "unsupported_calls": _unsupported(run),
        "notes": notes_of(
            run,
            cluster,
            steady=_steady(prediction),
            data_decided=data_decided(prediction.job),
        ),
        "emulation": _emulation(prediction, run),
    }


def write_summary(directory: Path, summary: dict[str, Any]) -> Path:
    """summary.json, whole or not at all."""
    return write_whole(directory / names.SUMMARY, json.dumps(summary, indent=2) + "\n")


def read_summary(directory: Path) -> dict[str, Any]:
    """The summary that an earlier command wrote."""
    path = directory / names.SUMMARY
    try:
        loaded: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise MayaError(
            f"{directory} holds no {names.SUMMARY}",
            hint=f"predict first: maya simulate {directory} --cluster h100:8",
        ) from error
    except ValueError as error:
        raise MayaError(f"{path} is not JSON: {error}", hint="predict again") from error
    if loaded.get("schema_version") != SCHEMA_VERSION:
        raise MayaError(
            f"{path} is of version {loaded.get('schema_version')}; this maya reads {SCHEMA_VERSION}"
        )
    return loaded


def _every_rank(prediction: Prediction) -> dict[str, Any] | None:
    """Steps when ranks differ in speed; `slowdown` is against ranks that do not."""
    spread = prediction.spread
    if spread is None:
        return None
    variation = spread.variation
    return {
        "ranks": spread.ranks,
        "jitter": variation.jitter,
        "slow_nodes": {str(node): factor for node, factor in variation.slow_nodes},
        "seed": variation.seed,
        "trials": len(variation.seeds),
        "samples": len(spread.steps_ns),
        "median_ms": spread.median_ns / 1e6,
        "p95_ms": spread.p95_ns / 1e6,
        "slowdown": spread.median_ns / prediction.step_ns - 1 if prediction.step_ns else 0.0,
    }


def _utilisation(prediction: Prediction, flops: float) -> float:
    gpus = prediction.world_size
    possible = prediction.flops.peak_per_s * gpus * prediction.step_ns / 1e9
    return flops / possible if possible else 0.0


def _rate(per_step: float | None, step_ns: float) -> float | None:
    return None if per_step is None or not step_ns else per_step / step_ns * 1e9


def _steady(prediction: Prediction) -> bool:
    return all(window.steady for window in prediction.job.windows)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _unsupported(run: Run) -> list[dict[str, Any]]:
    counts = summarize(run.captures).unsupported
    return [{"name": name, "count": count.calls} for name, count in sorted(counts.items())]


def _emulation(prediction: Prediction, run: Run) -> dict[str, Any]:
    counted = summarize(run.captures)
    launched = len(run.captures)
    return {
        "launched_ranks": launched,
        "virtual_ranks": prediction.world_size - launched,
        "wall_s": run.facts.wall_seconds if run.facts else None,
        "calls": counted.events,
        "kernels": total(counted.kernels),
        "gpu": run.facts.gpu if run.facts else None,
    }
