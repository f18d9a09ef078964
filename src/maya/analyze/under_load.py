"""What sustained clocks and the slowest of many GPUs cost a step."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from maya.estimate.sustained import load_parameters, slowest, slowest_at
from maya.hardware import Gpu
from maya.simulator.collate import Job
from maya.simulator.load import clocked_work
from maya.simulator.program import Program
from maya.summary.figures import Load

StepTime = Callable[[Program], float]


@dataclass(frozen=True, slots=True)
class LoadCost:
    """Of the step: what each effect adds, and how machines of this kind would differ."""

    clock: float = 1.0  # share of the usual one, mean over the work that follows it
    clocks_cost: float = 0.0  # what the step takes longer for it, relative
    ranks: int = 1  # that wait for each other
    slowest_cost: float = 0.0  # what it takes longer for the slowest of them
    p50_ns: float = 0.0  # over machines
    p95_ns: float = 0.0

    def figures(self) -> Load:
        """For the summary."""
        return Load(
            clock=self.clock,
            clocks_cost=self.clocks_cost,
            ranks=self.ranks,
            slowest_cost=self.slowest_cost,
            p50_ms=self.p50_ns / 1e6,
            p95_ms=self.p95_ns / 1e6,
        )


def under_load(
    job: Job, gpu: Gpu, ranks: int, step_ns: StepTime, ideal: bool
) -> tuple[Job, LoadCost]:
    """The job with the durations that load leaves it; `ideal`: no GPU differs from another."""
    known, burst_ns = load_parameters(gpu), step_ns(job.program)
    if known is None or not burst_ns:
        return job, LoadCost(p50_ns=burst_ns, p95_ns=burst_ns)
    work = clocked_work(job, gpu, known)
    clock, steady = work.mean_clock(job.program), work.steady(job.program)
    steady_ns = step_ns(steady) if clock < 1 else burst_ns
    cost = LoadCost(clock, steady_ns / burst_ns - 1, p50_ns=steady_ns, p95_ns=steady_ns)
    together = ranks if job.matches else 1
    lag = 0.0 if ideal else slowest(together, known)
    if not lag:
        return replace(job, program=steady), cost
    last = work.slower(steady, lag)
    last_ns = step_ns(last)
    pace = (last_ns - steady_ns) / lag
    return replace(job, program=last), replace(
        cost,
        ranks=together,
        slowest_cost=last_ns / steady_ns - 1,
        p50_ns=steady_ns + pace * slowest_at(0.5, together, known),
        p95_ns=steady_ns + pace * slowest_at(0.95, together, known),
    )
