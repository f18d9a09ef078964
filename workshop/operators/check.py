"""Estimates beside measurements."""

from collections.abc import Iterable
from dataclasses import dataclass

from maya.estimate.chain import Chain, default_chain
from maya.estimate.interval import WIDTH
from maya.estimate.types import Source
from maya.hardware import Gpu, find_gpu
from workshop.operators.case import FORWARD, Case
from workshop.operators.recording import Recordings

# Events enclose the host's launches: below so much for each kernel, the host is what was timed.
_AROUND_NS = {False: 120_000.0, True: 400_000.0}  # eager, compiled: guards come before launches
_LAUNCH_NS = {True: 16_000.0, False: 32_000.0}  # forward, with autograd


@dataclass(frozen=True, slots=True)
class Outcome:
    """A case and its estimate."""

    case: Case
    predicted_ns: float
    kernels: int
    assumed_ns: float = 0.0  # the most that its guessed kernels may take
    uncertainty: float = 0.0  # relative, one sigma: its kernels err together

    @property
    def error(self) -> float:
        """Relative; positive where the estimate is too long."""
        return self.predicted_ns / self.case.measured_ns - 1

    @property
    def assumed(self) -> float:
        """Share of the time that is only guessed, as the summary of a run counts it."""
        return self.assumed_ns / max(self.predicted_ns, self.assumed_ns, 1.0)

    @property
    def inside(self) -> bool:
        """Whether the printed interval holds the measured time."""
        factor = 1 + WIDTH * self.uncertainty
        return 1 / factor <= self.predicted_ns / self.case.measured_ns <= factor

    @property
    def launch_bound(self) -> bool:
        """Whether launches may have taken longer than the kernels."""
        each = _LAUNCH_NS[self.case.program.direction == FORWARD]
        around = _AROUND_NS[self.case.program.compiled]
        return self.case.measured_ns < around + each * self.kernels


def check(cases: Iterable[Case], recordings: Recordings) -> list[Outcome]:
    """An outcome for each case whose program was recorded."""
    chain = default_chain()
    gpus: dict[str, Gpu] = {}
    outcomes = []
    for case in cases:
        if case.program.key in recordings.work:
            gpu = gpus.setdefault(case.gpu, find_gpu(case.gpu))
            outcomes.append(_outcome(case, recordings, chain, gpu))
    return outcomes


def _outcome(case: Case, recordings: Recordings, chain: Chain, gpu: Gpu) -> Outcome:
    work = recordings.work[case.program.key]
    estimates = [chain.estimate(piece, gpu) for piece in work]
    total = sum(estimate.duration_ns for estimate in estimates)
    guessed = [e for e in estimates if e.source == Source.ASSUMED]
    most = sum(max(e.duration_ns, e.most_ns) for e in guessed)
    doubt = sum(e.duration_ns * e.uncertainty for e in estimates) / max(1, total)
    return Outcome(case, float(total), len(work), float(most), doubt)
