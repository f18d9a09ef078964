"""How a prediction was asked for: everything but the run and the cluster."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated

from pydantic import Field

from maya.errors import MayaError
from maya.simulator.variation import Variation
from maya.typed_numbers import Amount, Share

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


@dataclass(frozen=True, slots=True)
class MeasurementsFile:
    """A user's measurements, and what the file held when it was read."""

    path: str
    sha256: str

    @classmethod
    def read(cls, path: Path) -> "MeasurementsFile":
        """As it is now."""
        return cls(str(path.absolute()), _digest(path))

    def check_unchanged(self) -> None:
        """A prediction cannot be repeated with other measurements."""
        if _digest(Path(self.path)) != self.sha256:
            raise MayaError(
                f"{self.path} has changed since the prediction was made",
                hint="predict again: maya simulate RUN --cluster C --measurements FILE",
            )


@dataclass(frozen=True, slots=True)
class PredictionOptions:
    """What `maya simulate` was told."""

    host_scale: Amount = 1.0  # multiplies CPU time
    share_links: bool = True  # transfers at the same time share links
    overlap_slowdown: bool = True  # overlapping work slows down
    ideal: bool = False  # no GPU is slower than a typical one
    variation: Variation | None = None  # None: symmetric ranks are simulated once
    tokens_per_step: Positive | None = None  # None: as seen
    samples_per_step: Positive | None = None
    measurements: MeasurementsFile | None = None  # believed before any estimate
    mask_density: Share | None = None  # of a mask's blocks that are computed; None: as known

    def unusual(self) -> str:
        """What was asked otherwise than by default, for people."""
        told = [f"{name}={value}" for name, value in _unusual(self) if name != "sha256"]
        every = ["every rank"] if self.variation == Variation() else []
        return ", ".join(told + every)


def _unusual(part: PredictionOptions | Variation | MeasurementsFile) -> Iterator[tuple[str, str]]:
    for field in fields(part):
        value = getattr(part, field.name)
        if isinstance(value, (Variation, MeasurementsFile)):
            yield from _unusual(value)
        elif value != field.default:
            yield field.name, str(value)


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise MayaError(f"cannot read measurements from {path}: {error.strerror}") from error
