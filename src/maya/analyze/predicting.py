"""From captures and a cluster to a prediction."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from maya.analyze.batch import Batch, step_batch
from maya.analyze.critical_path import CriticalPath, step_path
from maya.analyze.flops import StepFlops, step_flops
from maya.analyze.memory import RankMemory, memory_of
from maya.analyze.options import Options
from maya.analyze.step_time import step_time_ns
from maya.analyze.steps import RankStep, rank_step, step_ends_ns
from maya.analyze.uncertainty import device_uncertainty, provenance
from maya.analyze.under_load import LoadCost, under_load
from maya.errors import MayaError
from maya.estimate.collectives import CollectiveModel
from maya.estimate.interval import WIDTH
from maya.estimate.kept import KeptEstimates
from maya.hardware import Cluster, Host
from maya.rundir import RankFacts
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
from maya.trace.roles import Roles, read_roles

HOST_UNCERTAINTY = 0.3  # one sigma: other CPU, other versions of the framework; assumed
EMULATING_HOST = "same"  # the profile that asks for CPU times as they were measured
FULL_SERVER = 8  # ranks that `crowding` of a host speaks of
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
    progress("estimating durations")
    durations = options.durations_of(run.directory.path, cluster.gpu)
    estimates = Estimates(durations, cluster.gpu, {})
    shared = crowded(cluster, world_size)
    scale = options.host_scale * host_factor(run, shared)
    model = CollectiveModel(cluster)
    captures = (*run.captures, *derived_captures(run.captures, run.ranks))
    job = collate(captures, shared, estimates, model.estimate, scale, run.ranks)
    if isinstance(durations, KeptEstimates):
        durations.keep()
    settings = engine_settings(cluster, options)
    progress("simulating")
    step_time = partial(_step_ns, job, settings)
    job, load = under_load(job, cluster.gpu, world_size, step_time, options.ideal)
    timeline = _run(job, settings)
    ends = step_ends_ns(job, timeline)
    steps = len(ends) - 1
    device, host = WIDTH * device_uncertainty(job, cluster.gpu), WIDTH * HOST_UNCERTAINTY
    low, high, free = (
        step_time(scaled(job.program, *speeds))
        for speeds in ((max(0.0, 1 - device), 1 - host), (1 + device, 1 + host), (1.0, 0.0))
    )
    spread = None
    if options.variation:
        progress("simulating every rank")
        roles = roles_of(run, world_size, captures)
        spread = simulate_every_rank(job, roles, cluster, settings, options.variation)
    progress("analysing")
    bounds = int(ends[0]), int(ends[-1])
    weights = weights_of(run.ranks, captures)
    return Prediction(
        cluster=cluster,
        job=job,
        timeline=timeline,
        step_ends_ns=tuple(map(int, ends)),
        step_ns=step_time_ns(job, ends),
        low_ns=low,
        high_ns=high,
        without_host_ns=free,
        ranks=tuple(
            rank_step(job, timeline, rank, *bounds, steps) for rank in range(len(captures))
        ),
        memory=tuple(memory_of(c, rank_of(c, i)) for i, c in enumerate(run.captures)),
        batch=step_batch(job, steps, weights),
        path=step_path(job, timeline, settings, ends.tolist()),
        flops=step_flops(job, cluster.gpu, steps, weights),
        provenance=provenance(job),
        world_size=world_size,
        options=options,
        load=load,
        spread=spread,
    )


def engine_settings(cluster: Cluster, options: Options) -> Settings:
    """The engine's constants for what was asked."""
    return settings_for(
        cluster, share_links=options.share_links, share_devices=options.overlap_slowdown
    )


def step_time_of(prediction: Prediction, program: Program) -> float:
    """Nanoseconds of a step with another program in the place of the job's own: what if?"""
    settings = engine_settings(prediction.cluster, prediction.options)
    return _step_ns(prediction.job, settings, program)


def roles_of(run: Run, world_size: int, captures: Sequence[Capture]) -> Roles:
    """Whom each rank of the job is like."""
    recorded = sorted(rank_of(capture, index) for index, capture in enumerate(captures))
    return read_roles(run.directory.path, world_size, tuple(recorded))


def host_factor(run: Run, cluster: Cluster) -> float:
    """CPU time on the cluster's host over that measured while emulating."""
    return host_pace(cluster.host, run.yardstick_ns)


def host_pace(host: Host, yardstick_ns: int | None) -> float:
    """CPU time on this host over that of the machine on which the yardstick took so long."""
    if host.id == EMULATING_HOST:
        return 1.0
    here = host.reference_ns / yardstick_ns if yardstick_ns else 1.0
    return here / host.speed


def crowded(cluster: Cluster, ranks: int) -> Cluster:
    """The cluster with hosts as fast as they are for each of the ranks that share them."""
    host, beside = cluster.host, min(ranks, cluster.per_node) - 1
    slowdown = 1 + (host.crowding - 1) * min(1.0, beside / (FULL_SERVER - 1))
    slower = host.model_copy(update={"speed": host.speed / slowdown})
    return cluster.model_copy(update={"host": slower})


def rank_of(capture: Capture, index: int) -> int:
    """The rank that the launcher gave, or the place among the captures."""
    return capture.header.rank if capture.header.rank >= 0 else index


def weights_of(ranks: RankFacts | None, captures: Sequence[Capture]) -> list[int]:
    """How many ranks each capture stands for."""
    return [ranks.weight(rank_of(c, i)) if ranks else 1 for i, c in enumerate(captures)]


def world_size_of(run: Run) -> int:
    """How many ranks the job has; all must be there and of one run."""
    captures, about = run.captures, run.ranks
    sizes = {max(1, capture.header.world_size) for capture in captures}
    if len(sizes) > 1:
        raise MayaError("these captures are of different runs", hint="give one run directory")
    (size,) = sizes
    ranks = [capture.header.rank for capture in captures if capture.header.rank >= 0]
    if len(ranks) != len(set(ranks)):
        twice = min(rank for rank in ranks if ranks.count(rank) > 1)
        raise MayaError(
            f"rank {twice} has two captures", hint="captures of different runs are mixed"
        )
    expected = about.launched if about and about.world_size == size else range(size)
    if ranks and (missing := sorted(set(expected) - set(ranks))):
        raise MayaError(
            f"the run has {size} ranks, but there is no capture of rank "
            + ", ".join(map(str, missing[:8])),
            hint="a rank died before its first device call, or files are missing",
        )
    return max(size, len(captures))


def check_fits(world_size: int, cluster: Cluster) -> None:
    """A rank needs a GPU."""
    if world_size > cluster.gpus:
        raise MayaError(
            f"the command starts {world_size} ranks, but {cluster.name} has {cluster.gpus} GPUs",
            hint="name a larger cluster, or start fewer ranks",
        )


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
