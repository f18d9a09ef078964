"""From captures and a cluster to a prediction."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from maya.analyze.batch import Batch, step_batch
from maya.analyze.critical_path import CriticalPath, step_path
from maya.analyze.flops import StepFlops, step_flops
from maya.analyze.host_pace import crowded, host_factor
from maya.analyze.memory import RankMemory, memory_of
from maya.analyze.options import Options
from maya.analyze.step_time import step_time_ns
from maya.analyze.steps import RankStep, rank_step, step_ends_ns
from maya.analyze.uncertainty import device_uncertainty, provenance
from maya.analyze.under_load import LoadCost, under_load
from maya.analyze.world import check_fits, rank_of, roles_of, weights_of, world_size_of
from maya.estimate.collectives import CollectiveModel
from maya.estimate.interval import WIDTH
from maya.estimate.kept import KeptEstimates
from maya.hardware import Cluster
from maya.simulator.collate import Job, collate
from maya.simulator.deadlock import deadlock_text
from maya.simulator.engine import DeadlockError, run
from maya.simulator.every_rank import simulate_every_rank
from maya.simulator.program import Program, Settings, Timeline
from maya.simulator.settings import settings_for
from maya.simulator.stages.reader import derived_captures
from maya.simulator.variation import Spread
from maya.simulator.work import Estimates
from maya.trace import Capture, Run
from maya.trace.block_masks import block_masks, mean_share

HOST_UNCERTAINTY = 0.3  # one sigma: other CPU, other versions of the framework; assumed
HOST_BOUND = 1.1  # a step this much longer than without host cost waits for its host
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Prediction:
    """What would happen on the cluster."""

    cluster: Cluster
    job: Job
    timeline: Timeline
    step_ends_ns: tuple[int, ...]
    step_ns: float
    low_ns: float
    high_ns: float
    without_host_ns: float
    ranks: tuple[RankStep, ...]
    memory: tuple[RankMemory, ...]
    flops: StepFlops
    path: CriticalPath
    batch: Batch
    provenance: dict[str, float]
    world_size: int
    options: Options
    load: LoadCost
    spread: Spread | None = None  # of the steps when every rank is simulated

    @property
    def steps(self) -> int:
        """How many steps were measured."""
        return len(self.step_ends_ns) - 1

    @property
    def gpus_used(self) -> int:
        """One by each rank, except where a process uses several (JAX)."""
        return self.world_size * max(1, *(rank.devices_at_work for rank in self.job.ranks))

    @property
    def host_bound(self) -> bool:
        """Whether the devices wait for the host."""
        return self.step_ns > HOST_BOUND * self.without_host_ns


def predict(
    run: Run,
    cluster: Cluster,
    options: Options | None = None,
    progress: Progress = lambda _: None,
) -> Prediction:
    """Estimate, simulate, analyse."""
    options = options or Options()
    world_size = world_size_of(run)
    check_fits(world_size, cluster)
    captures = (*run.captures, *derived_captures(run.captures, run.ranks))
    settings = engine_settings(cluster, options)
    progress("estimating durations")
    job = _estimated(run, captures, cluster, world_size, options)
    progress("simulating")
    step_time = partial(_step_ns, job, settings)
    job, load = under_load(job, cluster.gpu, world_size, step_time, options.ideal)
    timeline = _run(job, settings)
    low_ns, high_ns, without_host_ns = _at_other_speeds(job, cluster, step_time)
    spread = None
    if options.variation:
        progress("simulating every rank")
        roles = roles_of(run, world_size, captures)
        spread = simulate_every_rank(job, roles, cluster, settings, options.variation)
    progress("analysing")
    ends = tuple(map(int, step_ends_ns(job, timeline)))
    steps = len(ends) - 1
    weights = weights_of(run.ranks, captures)
    return Prediction(
        cluster=cluster,
        job=job,
        timeline=timeline,
        step_ends_ns=ends,
        step_ns=step_time_ns(job, ends),
        low_ns=low_ns,
        high_ns=high_ns,
        without_host_ns=without_host_ns,
        ranks=tuple(
            rank_step(job, timeline, rank, ends[0], ends[-1], steps)
            for rank in range(len(captures))
        ),
        memory=tuple(memory_of(c, rank_of(c, i)) for i, c in enumerate(run.captures)),
        batch=step_batch(job, steps, weights),
        path=step_path(job, timeline, settings, ends),
        flops=step_flops(job, cluster.gpu, steps, weights),
        provenance=provenance(job),
        world_size=world_size,
        options=options,
        load=load,
        spread=spread,
    )


def _estimated(
    run: Run, captures: Sequence[Capture], cluster: Cluster, world_size: int, options: Options
) -> Job:
    """The recorded ranks as one program, with a duration for everything that they do."""
    mean = mean_share(block_masks(run.captures))
    durations = options.durations_of(run.directory.path, cluster.gpu, mean)
    estimates = Estimates(durations, cluster.gpu, {})
    shared = crowded(cluster, world_size)
    scale = options.host_scale * host_factor(run, shared)
    collectives = CollectiveModel(cluster).estimate
    job = collate(captures, shared, estimates, collectives, scale, run.ranks)
    if isinstance(durations, KeptEstimates):
        durations.keep()
    return job


def _at_other_speeds(
    job: Job, cluster: Cluster, step_time: Callable[[Program], float]
) -> tuple[float, float, float]:
    """The step where estimates are too long, where they are too short, and without host cost."""
    device, host = WIDTH * device_uncertainty(job, cluster.gpu), WIDTH * HOST_UNCERTAINTY
    low, high, free = (
        step_time(scaled(job.program, *speeds))
        for speeds in ((max(0.0, 1 - device), 1 - host), (1 + device, 1 + host), (1.0, 0.0))
    )
    return low, high, free


def engine_settings(cluster: Cluster, options: Options) -> Settings:
    """The engine's constants for what was asked."""
    return settings_for(
        cluster, share_links=options.share_links, share_devices=options.overlap_slowdown
    )


def step_time_of(prediction: Prediction, program: Program) -> float:
    """Nanoseconds of a step with another program in the place of the job's own: what if?"""
    settings = engine_settings(prediction.cluster, prediction.options)
    return _step_ns(prediction.job, settings, program)


def scaled(program: Program, device: float, host: float) -> Program:
    """The same program with other speeds."""
    calls, moves = program.calls, program.transfers
    return replace(
        program,
        calls=replace(
            calls,
            host_ns=np.rint(calls.host_ns * host).astype(np.int64),
            duration_ns=np.rint(calls.duration_ns * device).astype(np.int64),
        ),
        transfers=replace(moves, duration_ns=np.rint(moves.duration_ns * device).astype(np.int64)),
    )


def _run(job: Job, settings: Settings) -> Timeline:
    try:
        return run(job.program, settings)
    except DeadlockError as error:
        raise DeadlockError(deadlock_text(job, error.heads), error.heads) from error


def _step_ns(job: Job, settings: Settings, program: Program) -> float:
    return step_time_ns(job, step_ends_ns(job, _run(replace(job, program=program), settings)))
