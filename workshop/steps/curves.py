"""What a kept run would take with other constants of load, from a few simulations of it."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from maya.analyze.host_pace import crowded, host_factor
from maya.analyze.predicting import scaled
from maya.analyze.steps import step_ends_ns
from maya.analyze.world import world_size_of
from maya.estimate import default_chain
from maya.estimate.collectives import CollectiveModel
from maya.estimate.sustained import LoadParameters, harmonic
from maya.hardware import Cluster, find_cluster
from maya.simulator.collate import Job, collate
from maya.simulator.engine import run as run_engine
from maya.simulator.load import clocked_work
from maya.simulator.program import WHOLE_SHARE, Program, Settings
from maya.simulator.settings import COMMUNICATION_SMS, settings_for
from maya.simulator.work import Estimates
from maya.trace import collect
from workshop.validate.case import Case
from workshop.validate.emulation import Emulator

_LAG = 0.05
SMS = (16, 24, 32, 40)


@dataclass(frozen=True, slots=True)
class StepCurve:
    """A measured step, and how its prediction moves."""

    case: Case
    generation: str
    ranks: int
    energies: tuple[float, ...]  # of an operation, in pJ
    steps_ms: tuple[float, ...]  # at these energies
    lag_slope: float  # relative change of the step for GPUs that are slower by one
    sms_ratios: tuple[float, ...]  # the step where communication takes so many SMs
    waits: float  # share of the step that is no work of the device: host and exposed transfers
    host_doubt: float  # what twice the host time would add to the step

    def predicted_ms(self, energy_pj: float, spread: float, sms: int) -> float:
        """Interpolated."""
        steady = float(np.interp(energy_pj, self.energies, self.steps_ms))
        lag = spread * (harmonic(self.ranks) - 1)
        return steady * (1 + self.lag_slope * lag) * self.sms_ratios[SMS.index(sms)]

    def error(self, known: LoadParameters, sms: int = COMMUNICATION_SMS) -> float:
        """Relative; positive where the prediction is too long."""
        predicted = self.predicted_ms(known.tensor_pj, known.spread, sms)
        return predicted / self.case.measured_ms - 1


def curve_of(
    case: Case, emulator: Emulator, known: LoadParameters, grid: tuple[float, ...]
) -> StepCurve:
    """Simulate a kept run a dozen times."""
    cluster = find_cluster(case.cluster)
    run = collect(emulator.run(case))
    estimates = Estimates(default_chain(), cluster.gpu, {})
    shared = crowded(cluster, world_size_of(run))
    model, scale = CollectiveModel(cluster), host_factor(run, shared)
    job = collate(run.captures, shared, estimates, model.estimate, scale, run.ranks)
    settings = settings_for(cluster)
    step = partial(_step_ms, job, settings)
    ratio = known.older_pj / known.tensor_pj
    steady = [
        clocked_work(job, cluster.gpu, replace(known, tensor_pj=pj, older_pj=pj * ratio)).steady(
            job.program
        )
        for pj in grid
    ]
    middle = steady[len(grid) // 2]
    whole = step(middle)
    slower = clocked_work(job, cluster.gpu, known).slower(middle, _LAG)
    return StepCurve(
        case=case,
        generation=f"{cluster.gpu.major}.{cluster.gpu.minor}",
        ranks=world_size_of(run) if job.matches else 1,
        energies=grid,
        steps_ms=tuple(step(program) for program in steady),
        lag_slope=(step(slower) / whole - 1) / _LAG,
        sms_ratios=tuple(
            _step_ms(job, replace(settings, comm_share=_share(sms, cluster)), middle) / whole
            for sms in SMS
        ),
        waits=1 - step(_alone(middle)) / whole,
        host_doubt=step(scaled(middle, 1.0, 2.0)) / whole - 1,
    )


def _share(sms: int, cluster: Cluster) -> int:
    return WHOLE_SHARE * sms // cluster.gpu.sm_count


def _alone(program: Program) -> Program:
    """The same without host cost and with transfers that take no time."""
    calls, moves = program.calls, program.transfers
    return replace(
        program,
        calls=replace(calls, host_ns=np.zeros_like(calls.host_ns)),
        transfers=replace(moves, duration_ns=np.ones_like(moves.duration_ns)),
    )


def _step_ms(job: Job, settings: Settings, program: Program) -> float:
    ends = step_ends_ns(job, run_engine(program, settings))
    return float(ends[-1] - ends[0]) / (len(ends) - 1) / 1e6
