"""What a trial tells of its host, by which it is compared with that of other trials."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from maya.analyze import Prediction, steps_with_hosts
from maya.simulator.place_costs import PlaceCost, place_costs

_MOST_PLACES = 128  # the dearest: most of a step's host time
_FACTORS = (0.6, 0.8, 1.25)
_MATTERS = 1.005  # a step that is no longer than this without its host has nothing to compare


@dataclass(frozen=True, slots=True)
class StepAt:
    """The step with a host that takes so many times what this trial's took."""

    factor: Annotated[float, Field(gt=0, le=1000)]
    step_ms: Annotated[float, Field(gt=0, allow_inf_nan=False)]


@dataclass(frozen=True, slots=True)
class HostTold:
    """The places of a step, and what the step would be with another host."""

    places: tuple[PlaceCost, ...]
    steps: Annotated[tuple[StepAt, ...], Field(min_length=1)]  # the fastest first


def host_told(prediction: Prediction) -> HostTold | None:
    """None where the step does not depend on its host."""
    if prediction.step_ns <= _MATTERS * prediction.without_host_ns:
        return None
    known = steps_with_hosts(prediction, _FACTORS) | {1.0: prediction.step_ns}
    steps = tuple(StepAt(factor, known[factor] / 1e6) for factor in sorted(known))
    return HostTold(place_costs(prediction.job, _MOST_PLACES), steps)
