"""From a prediction to the summary."""

from collections.abc import Sequence

import numpy as np

from maya.analyze.notes import notes_of
from maya.analyze.predicting import Prediction
from maya.analyze.step_time import note_of_steps
from maya.analyze.summary_memory import memory_figures
from maya.analyze.uncertainty import data_decided, not_understood
from maya.estimate.interval import COVERAGE
from maya.hardware import Cluster
from maya.summary import SCHEMA_VERSION, Summary
from maya.summary.figures import (
    CommunicationTime,
    Cost,
    DeviceTime,
    EmulationFigures,
    EveryRank,
    HelperProcess,
    HostTime,
    Period,
    Saving,
    Step,
    Throughput,
    UnsupportedCall,
)
from maya.trace import Run, summarize
from maya.trace.saving import save_durations_ns
from maya.trace.summary import total
from maya.version import maya_version

_HOUR_NS = 3600e9


def summary_of(prediction: Prediction, run: Run) -> Summary:
    """Everything there is to say; docs/simulation.md explains the fields."""
    step_ns, cluster = prediction.step_ns, prediction.cluster
    steady = all(window.steady for window in prediction.job.windows)
    misread = not_understood(prediction.job)
    return Summary(
        schema_version=SCHEMA_VERSION,
        maya_version=maya_version(),
        cluster=cluster,
        options=prediction.options.plain(),
        command=run.command,
        gpus=cluster.gpus,
        gpus_used=prediction.gpus_used,
        step=_step(prediction, steady),
        no_step=None,
        every_rank=_every_rank(prediction),
        mfu=_utilisation(prediction, prediction.flops.model),
        hfu=_utilisation(prediction, prediction.flops.hardware),
        model_flops_per_step=float(prediction.flops.model),
        memory=memory_figures(prediction.memory, cluster.gpu),
        device=_device(prediction),
        communication=_communication(prediction),
        host=_host(prediction),
        critical_path=prediction.path.shares(),
        cost=cost_of(cluster, step_ns),
        throughput=_throughput(prediction),
        provenance=prediction.provenance,
        unsupported_calls=unsupported_calls(run),
        notes=notes_of(
            run,
            cluster,
            steady=steady,
            unlike=max(window.unlike for window in prediction.job.windows),
            data_decided=data_decided(prediction.job),
            mask_density=prediction.options.mask_density,
            not_understood=misread,
            of_steps=note_of_steps(prediction.job, prediction.step_ends_ns),
        ),
        emulation=emulation_figures(run, prediction.world_size),
        load=prediction.load.figures(),
        saving=_saving(run),
        not_understood=misread,
    )


def cost_of(cluster: Cluster, step_ns: float | None) -> Cost:
    """Of the cluster's hours and of a step, where there is one."""
    hourly = cluster.usd_per_hour
    known = hourly is not None and step_ns is not None
    return Cost(
        usd_per_hour=hourly,
        usd_per_step=(hourly or 0.0) * (step_ns or 0.0) / _HOUR_NS if known else None,
        price_date=cluster.price.date if cluster.price else None,
    )


def unsupported_calls(run: Run) -> tuple[UnsupportedCall, ...]:
    """By name."""
    counts = summarize(run.captures).unsupported
    return tuple(UnsupportedCall(name, count.calls) for name, count in sorted(counts.items()))


def emulation_figures(run: Run, world_size: int) -> EmulationFigures:
    """What was recorded, and how long that took."""
    counted, launched = summarize(run.captures), len(run.captures)
    return EmulationFigures(
        launched_ranks=launched,
        virtual_ranks=world_size - launched,
        wall_s=run.facts.wall_seconds if run.facts else None,
        calls=counted.events,
        kernels=total(counted.kernels),
        gpu=run.facts.gpu if run.facts else None,
        held_files=run.facts.held_files if run.facts else None,
        helpers=tuple(HelperProcess(helper.command, helper.calls) for helper in run.helpers),
    )


def _step(prediction: Prediction, steady: bool) -> Step:
    step_ns = prediction.step_ns
    return Step(
        time_ms=step_ns / 1e6,
        low_ms=min(step_ns, prediction.low_ns) / 1e6,
        high_ms=max(step_ns, prediction.high_ns) / 1e6,
        coverage=COVERAGE,
        count=prediction.steps,
        steady=steady,
        period=_period(prediction),
    )


def _period(prediction: Prediction) -> Period | None:
    """What the usual step takes is the median: fewer than half of a period do more.

    Where the host sets the pace, extra work may be hidden: its noise is not told as less than 0.
    """
    steps = prediction.job.windows[0].cycle
    if not steps or steps != prediction.steps:
        return None
    each = np.diff(prediction.step_ends_ns) / 1e6
    plain = float(min(np.median(each), np.mean(each)))
    return Period(steps, plain, max(0.0, float(each.sum()) - steps * plain))


def _every_rank(prediction: Prediction) -> EveryRank | None:
    spread = prediction.spread
    if spread is None:
        return None
    variation = spread.variation
    return EveryRank(
        ranks=spread.ranks,
        jitter=variation.jitter,
        slow_nodes={str(node): factor for node, factor in variation.slow_nodes},
        seed=variation.seed,
        trials=len(variation.seeds),
        samples=len(spread.steps_ns),
        median_ms=spread.median_ns / 1e6,
        p95_ms=spread.p95_ns / 1e6,
        slowdown=spread.median_ns / prediction.step_ns - 1 if prediction.step_ns else 0.0,
    )


def _device(prediction: Prediction) -> DeviceTime:
    ranks = prediction.ranks
    return DeviceTime(
        busy_ms=_mean([rank.busy_ms for rank in ranks]),
        idle_ms=_mean([rank.idle_ms for rank in ranks]),
        compute_ms=_mean([rank.compute_ms for rank in ranks]),
    )


def _communication(prediction: Prediction) -> CommunicationTime:
    ranks = prediction.ranks
    return CommunicationTime(
        total_ms=_mean([rank.communication_ms for rank in ranks]),
        exposed_ms=_mean([rank.exposed_ms for rank in ranks]),
    )


def _host(prediction: Prediction) -> HostTime:
    return HostTime(
        busy_ms=max(rank.host_ms for rank in prediction.ranks),
        bound="host" if prediction.host_bound else "device",
        profile=prediction.cluster.host.id,
    )


def _saving(run: Run) -> Saving | None:
    """Of the rank that spent most on it."""
    saves = max((save_durations_ns(capture) for capture in run.captures), key=sum, default=[])
    return Saving(len(saves), _mean(saves) / 1e6) if saves else None


def _throughput(prediction: Prediction) -> Throughput:
    """What the user says of a step's batch wins over what was seen."""
    asked, seen, step_ns = prediction.options, prediction.batch, prediction.step_ns
    return Throughput(
        samples_per_s=_rate(asked.samples_per_step or seen.samples, step_ns),
        tokens_per_s=_rate(asked.tokens_per_step or seen.tokens, step_ns),
        sample_unit="samples" if asked.samples_per_step else seen.unit,
    )


def _utilisation(prediction: Prediction, flops: float) -> float:
    gpus = prediction.gpus_used
    possible = prediction.flops.peak_per_s * gpus * prediction.step_ns / 1e9
    return flops / possible if possible else 0.0


def _rate(per_step: float | None, step_ns: float) -> float | None:
    return None if per_step is None or not step_ns else per_step / step_ns * 1e9


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
