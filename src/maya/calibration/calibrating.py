"""How wrong the estimates were on traces, and what to make of it."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from maya.calibration.observations import Observation, observe
from maya.calibration.shrink import Sample, shrink
from maya.calibration.spans import Trace
from maya.calibration.traces import gpu_of
from maya.estimate import default_chain
from maya.estimate.chain import Chain
from maya.estimate.corrections import Correction
from maya.estimate.problem import family_name
from maya.hardware import Gpu
from maya.trace import Run
from maya.trace.kernel_class import kernel_class

_LARGEST_LOG = math.log(1e3)  # beyond a factor of a thousand another kernel was met


@dataclass(frozen=True, slots=True)
class Compared:
    """A problem whose estimate and measurement are both known."""

    seen: Observation
    kernel_class: str
    family: str
    estimated_ns: float  # one call
    uncertainty: float

    @property
    def ratio(self) -> float:
        """Estimated over measured."""
        return self.estimated_ns / self.seen.typical_ns

    @property
    def estimated_total_ns(self) -> float:
        """All calls of the trace."""
        return self.estimated_ns * len(self.seen.times_ns)


@dataclass(frozen=True, slots=True)
class FamilyError:
    """How far the estimates of a family were from what was measured."""

    kernel_class: str
    family: str
    problems: int
    calls: int
    measured_ms: float
    estimated_ms: float
    median_error: float  # of single problems, without sign

    @property
    def error(self) -> float:
        """Of the sum."""
        return self.estimated_ms / self.measured_ms - 1


@dataclass(frozen=True, slots=True)
class Calibration:
    """What traces of one GPU tell."""

    gpu: Gpu
    observations: tuple[Observation, ...]
    compared: tuple[Compared, ...]
    corrections: tuple[Correction, ...]

    @property
    def total_ms(self) -> float:
        """Of all kernels in the traces."""
        return sum(seen.total_ns for seen in self.observations) / 1e6

    @property
    def whole(self) -> FamilyError | None:
        """Over everything that was compared."""
        return family_error("", "", self.compared) if self.compared else None

    def by_family(self) -> list[FamilyError]:
        """The one with the most time first."""
        families: dict[tuple[str, str], list[Compared]] = defaultdict(list)
        for one in self.compared:
            families[one.kernel_class, one.family].append(one)
        found = [family_error(*name, own) for name, own in families.items()]
        return sorted(found, key=lambda own: -own.measured_ms)


def calibrate(
    traces: Sequence[Trace], gpu: Gpu | None = None, run: Run | None = None
) -> Calibration:
    """Compare traces with the estimates for their GPU; `run` tells what a trace leaves out."""
    found = gpu_of(traces, gpu)
    seen = observe(traces, found, run)
    compared = tuple(compare(seen, default_chain(), found))
    return Calibration(found, tuple(seen), compared, tuple(corrections_of(compared, found)))


def compare(seen: Sequence[Observation], chain: Chain, gpu: Gpu) -> list[Compared]:
    """Only what is understood: of anything else an estimate says nothing."""
    found = []
    for one in seen:
        if one.work is None:
            continue
        estimate = chain.estimate(one.work, gpu)
        if not estimate.understood:
            continue
        found.append(
            Compared(
                one,
                kernel_class(one.work),
                family_name(one.work),
                estimate.duration_ns,
                estimate.uncertainty,
            )
        )
    return found


def corrections_of(compared: Sequence[Compared], gpu: Gpu) -> list[Correction]:
    """By family and class."""
    samples = [
        Sample(
            one.kernel_class,
            one.family,
            max(-_LARGEST_LOG, min(_LARGEST_LOG, -math.log(one.ratio))),
            one.seen.typical_ns * len(one.seen.times_ns),
            one.uncertainty,
        )
        for one in compared
    ]
    return shrink(samples, gpu.id)


def family_error(kind: str, family: str, own: Sequence[Compared]) -> FamilyError:
    """Summed over problems."""
    return FamilyError(
        kind,
        family,
        len(own),
        sum(len(one.seen.times_ns) for one in own),
        sum(one.seen.total_ns for one in own) / 1e6,
        sum(one.estimated_total_ns for one in own) / 1e6,
        median(abs(one.ratio - 1) for one in own),
    )
