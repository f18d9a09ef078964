"""What an estimator is asked and what it answers."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from maya.hardware import Gpu
from maya.trace import Definition


class Source(StrEnum):
    """Where a duration came from, from the most to the least believable."""

    MEASURED = "measured"
    LEARNED = "learned"
    ANALYTICAL = "analytical"
    ASSUMED = "assumed"


@dataclass(frozen=True, slots=True)
class Estimate:
    """The duration of one piece of device work, and how far to believe it."""

    duration_ns: int
    source: Source
    uncertainty: float  # relative, one sigma
    flops: float = 0.0  # useful floating-point operations of GEMM, convolution and attention
    bytes: float = 0.0  # moved to and from device memory
    most_ns: int = 0  # what an assumed duration may be at most, so that a short one cannot hide
    data_decides: bool = False  # how far loops run, so that a share of their bound was assumed
    understood: bool = True  # False: of a known family, but its arguments make no sense
    under_load: bool = False  # measured, or corrected, in a running program: its clocks are in it


class Estimator(Protocol):
    """A plugin: answers for the work it knows and leaves the rest to the next."""

    def estimate(self, work: Definition, device: Gpu) -> Estimate | None:
        """The duration of this work on this device, or None."""
        ...
