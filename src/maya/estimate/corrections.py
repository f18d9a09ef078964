"""Factors by which a family of kernels was found to take longer than estimated."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from maya.estimate.problem import family_name
from maya.estimate.types import Estimate
from maya.hardware import Gpu
from maya.trace import Definition
from maya.trace.kernel_class import kernel_class


@dataclass(frozen=True, slots=True)
class Correction:
    """Of a family, or of a whole class where `family` is empty."""

    kernel_class: str
    family: str
    factor: float  # measured over estimated
    uncertainty: float  # of what is left; 0: that of the estimate stays
    gpu: str = ""  # "" for any


class Corrections:
    """The closest correction there is; nothing changes where there is none."""

    def __init__(self, rows: Iterable[Correction] = ()) -> None:
        self._rows = {(row.gpu, row.kernel_class, row.family): row for row in rows}

    def __len__(self) -> int:
        return len(self._rows)

    def correct(self, work: Definition, device: Gpu, estimate: Estimate) -> Estimate:
        """The estimate, longer or shorter by the factor of its family, else of its class."""
        found = self._find(work, device) if self._rows else None
        if found is None:
            return estimate
        return replace(
            estimate,
            duration_ns=max(1, round(estimate.duration_ns * found.factor)),
            most_ns=round(estimate.most_ns * found.factor),
            uncertainty=found.uncertainty or estimate.uncertainty,
            under_load=True,
        )

    def _find(self, work: Definition, device: Gpu) -> Correction | None:
        kind, family = kernel_class(work), family_name(work)
        places = [(gpu, kind, name) for name in (family, "") for gpu in (device.id, "")]
        return next((self._rows[place] for place in places if place in self._rows), None)
