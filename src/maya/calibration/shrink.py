"""From errors of single kernels to factors of families: few samples correct little.

The logarithm of measured over estimated is taken as a factor of the class, one of the family and a
rest that differs from problem to problem. How far each may lie from one is what the estimators
themselves say of their error; a factor moves from there by as much as its samples can tell.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from maya.estimate.corrections import Correction
from maya.estimate.measured import MEASUREMENT


@dataclass(frozen=True, slots=True)
class Sample:
    """One problem, however often it ran."""

    kernel_class: str
    family: str
    log_ratio: float  # of measured over estimated
    weight: float  # its time
    uncertainty: float  # of the estimate: relative, one sigma


@dataclass(frozen=True, slots=True)
class _Family:
    mean: float
    count: float  # of samples, as if all weighed the same
    prior: float  # variance of the family's factor before anything was measured
    spread: float  # variance from problem to problem

    @property
    def told(self) -> float:
        """Variance of the mean as a witness of the class: families differ, samples are few."""
        return self.prior + self.spread / self.count


def shrink(samples: Sequence[Sample], gpu: str) -> list[Correction]:
    """A factor for every family and class that was seen."""
    families: dict[tuple[str, str], list[Sample]] = defaultdict(list)
    for sample in samples:
        families[sample.kernel_class, sample.family].append(sample)
    summed = {name: _summed(own) for name, own in families.items()}
    found = []
    for kind in dict.fromkeys(kind for kind, _ in summed):
        members = {family: own for (c, family), own in summed.items() if c == kind}
        level = _class_level(list(members.values()))
        found.append(Correction(kind, "", math.exp(level), 0.0, gpu))
        found += [_of_family(kind, family, own, level, gpu) for family, own in members.items()]
    return found


def _summed(own: Sequence[Sample]) -> _Family:
    total = sum(sample.weight for sample in own)
    shares = [sample.weight / total for sample in own]  # squares of weights might be too small
    mean = sum(share * one.log_ratio for share, one in zip(shares, own, strict=True))
    count = 1 / sum(share**2 for share in shares)
    prior = sum(share * _variance(one) for share, one in zip(shares, own, strict=True))
    seen = sum(share * (one.log_ratio - mean) ** 2 for share, one in zip(shares, own, strict=True))
    # The estimate's own word counts like one more problem: two alike do not prove a spread of zero.
    spread = (prior + count * seen) / (1 + count)
    return _Family(mean, count, prior, spread)


def _class_level(members: Sequence[_Family]) -> float:
    prior = sum(own.prior for own in members) / len(members)
    weights = [1 / own.told for own in members]
    told = sum(weight * own.mean for weight, own in zip(weights, members, strict=True))
    return told / (1 / prior + sum(weights))


def _of_family(kind: str, family: str, own: _Family, level: float, gpu: str) -> Correction:
    precision = 1 / own.prior + own.count / own.spread
    mean = (level / own.prior + own.count * own.mean / own.spread) / precision
    left = math.sqrt(1 / precision + own.spread)
    return Correction(kind, family, math.exp(mean), max(MEASUREMENT, left), gpu)


def _variance(sample: Sample) -> float:
    return max(MEASUREMENT, sample.uncertainty) ** 2
