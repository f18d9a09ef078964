"""How to predict: what was asked for, and who estimates."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from maya.estimate import default_chain, read_measurements
from maya.simulator.work import Durations
from maya.summary import PredictionOptions


@dataclass(frozen=True, slots=True)
class Options(PredictionOptions):
    """`chain` replaces the estimators that the other options name; it is not kept."""

    chain: Durations | None = None

    @classmethod
    def of(cls, asked: PredictionOptions, chain: Durations | None = None) -> "Options":
        """What was asked for, with estimators that the caller keeps from one run to the next."""
        return cls(**_values(asked), chain=chain)

    def plain(self) -> PredictionOptions:
        """What can be kept."""
        return PredictionOptions(**_values(self))

    def durations(self) -> Durations:
        """The estimators, a user's measurements before them where there are any."""
        if self.chain is not None:
            return self.chain
        if self.measurements is None:
            return default_chain(mask_density=self.mask_density)
        self.measurements.check_unchanged()
        own = read_measurements(Path(self.measurements.path))
        return default_chain([own], self.mask_density)


def _values(asked: PredictionOptions) -> Mapping[str, Any]:
    return {field.name: getattr(asked, field.name) for field in fields(PredictionOptions)}
