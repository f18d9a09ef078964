"""How to predict: what was asked for, and who estimates."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from maya.errors import MayaError
from maya.estimate import default_chain, read_measurements
from maya.estimate.kept import KeptEstimates
from maya.estimate.masks import MaskDensity
from maya.hardware import Gpu
from maya.rundir import names
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

    def durations_of(self, run: Path, gpu: Gpu, mean_density: float | None = None) -> Durations:
        """The same; Maya's own estimates of this run's work are kept in its directory."""
        if self.chain is not None or self.measurements is not None:
            return self.durations(gpu, mean_density)
        masks = MaskDensity(self.mask_density, mean_density)
        return KeptEstimates(default_chain(masks=masks), run / names.ESTIMATES, f"{masks!r}")

    def durations(self, gpu: Gpu | None = None, mean_density: float | None = None) -> Durations:
        """The estimators, a user's measurements before them where there are any.

        `gpu`: refuse measurements that are all of others. `mean_density`: of the run's masks that
        are known.
        """
        masks = MaskDensity(self.mask_density, mean_density)
        if self.chain is not None:
            return self.chain
        if self.measurements is None:
            return default_chain(masks=masks)
        self.measurements.check_unchanged()
        own = read_measurements(Path(self.measurements.path))
        if gpu and own.gpus and gpu.id not in own.gpus:
            raise MayaError(
                f"{self.measurements.path} holds measurements of {', '.join(sorted(own.gpus))}, "
                f"none of {gpu.id}",
                hint="measurements of one GPU say nothing of another",
            )
        return default_chain([own], masks, own.corrections)


def _values(asked: PredictionOptions) -> Mapping[str, Any]:
    return {field.name: getattr(asked, field.name) for field in fields(PredictionOptions)}
