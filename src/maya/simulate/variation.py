"""How ranks differ in speed, and what that makes of the step."""

import math
from dataclasses import dataclass

import numpy as np

ONE = 1 << 16  # the engine counts factors in 1/65536


@dataclass(frozen=True, slots=True)
class Variation:
    """Noise of every kernel and transfer, and nodes whose devices are slow."""

    jitter: float = 0.0  # standard deviation, relative
    slow_nodes: tuple[tuple[int, float], ...] = ()  # node, what its kernels take longer
    seed: int = 0
    trials: int = 10

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
