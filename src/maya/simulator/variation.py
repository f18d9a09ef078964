"""How ranks differ in speed, and what that makes of the step."""

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

LARGEST_JITTER = 0.28  # more would make some durations negative
Jitter = Annotated[float, Field(ge=0, le=LARGEST_JITTER)]
Node = Annotated[int, Field(ge=0)]
Factor = Annotated[float, Field(gt=0, le=1000)]
Trials = Annotated[int, Field(ge=1)]

ONE = 1 << 16  # the engine counts factors in 1/65536


@dataclass(frozen=True, slots=True)
class Variation:
    """Noise of every kernel and transfer, and nodes whose devices are slow."""

    jitter: Jitter = 0.0  # standard deviation, relative
    slow_nodes: tuple[tuple[Node, Factor], ...] = ()  # node, what its kernels take longer
    seed: int = 0
    trials: Trials = 10

    @property
    def seeds(self) -> range:
        """One for each trial; without noise all trials would be the same."""
        first = self.seed * 1_000_003
        return range(first, first + (self.trials if self.jitter else 1))


@dataclass(frozen=True, slots=True)
class Spread:
    """Steps of all trials."""

    variation: Variation
    ranks: int
    steps_ns: tuple[int, ...]

    @property
    def median_ns(self) -> float:
        """Half of the steps are shorter."""
        return float(np.median(self.steps_ns))

    @property
    def p95_ns(self) -> float:
        """The least that 95 % of the steps do not exceed."""
        ordered = sorted(self.steps_ns)
        return float(ordered[math.ceil(0.95 * len(ordered)) - 1])
