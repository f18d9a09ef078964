"""How much of a mask that is data flex attention computes."""

from dataclasses import dataclass

from maya.estimate.ptx.count import DATA_SHARE
from maya.trace import Definition

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class MaskDensity:
    """Shares of a mask's blocks that are computed."""

    given: float | None = None  # by the user, for all kernels
    mean: float | None = None  # of the program's masks that follow from known values

    def of(self, work: Definition) -> float:
        """What a launch computes of what its code could."""
        if self.given is not None:
            return self.given
        if self.is_known(work):
            return work.number("mask_ppm") / _MILLION
        return DATA_SHARE if self.mean is None else self.mean

    def is_known(self, work: Definition) -> bool:
        """Whether the launch was given a mask whose blocks are known, and nobody said otherwise."""
        return self.given is None and work.number("mask_ppm") > 0
