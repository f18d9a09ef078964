"""Published times of single operators, as sums of what their kernels ask of a device."""

from collections import defaultdict
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from maya.estimate.chain import default_chain
from maya.estimate.cost import Cost, busy_ns
from maya.estimate.kernels.estimator import kernel_cost
from maya.estimate.parameters import DeviceParameters
from maya.hardware import Gpu, find_gpu
from maya.trace import Definition
from maya.trace.format import Kind
from workshop.measurements.store import measurements
from workshop.operators.case import Case
from workshop.operators.check import Outcome
from workshop.operators.sources import find_cases
from workshop.operators.store import recordings

# Embeddings were measured in 2024: PyTorch probably gathered rows by another kernel than today.
_OTHER_KERNELS = frozenset({"indexing"})
Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class OperatorSamples:
    """Cases of one GPU; each is a sum over kernels that are all listed once."""

    costs: tuple[Cost, ...]
    uses: Array  # cases x costs: how often
    others_ns: Array  # of kernels that these parameters say nothing about
    kernels: Array  # launches of a case
    measured_ns: Array

    def predict(self, device: Gpu, fitted: DeviceParameters) -> Array:
        """With other parameters than the shipped ones."""
        each = np.array([busy_ns(cost, device, fitted) for cost in self.costs])
        predicted: Array = self.uses @ each + self.others_ns + self.kernels * fitted.floor_ns
        return predicted

    @property
    def kinds(self) -> set[str]:
        """Classes of kernels that these cases tell something about."""
        return {cost.kind for cost in self.costs if cost.kind}


def operator_samples(gpu: str) -> OperatorSamples | None:
    """Cases to fit; launches decide about none of them."""
    known = recordings()
    cases = [case for case in _cases().get(gpu, ()) if case.program.key in known.work]
    parts = [(case, known.work[case.program.key]) for case in cases]
    chosen = [
        (case, work)
        for case, work in parts
        if not Outcome(case, case.measured_ns, len(work)).launch_bound
    ]
    return _samples(chosen, find_gpu(gpu)) if chosen else None


def gpus_with_operators() -> list[str]:
    """GPUs that have cases to fit."""
    return sorted(_cases())


@cache
def _cases() -> dict[str, list[Case]]:
    found = defaultdict(list)
    for case in find_cases(measurements()):
        if not case.kept and not case.program.compiled and case.family not in _OTHER_KERNELS:
            found[case.gpu].append(case)
    return found


def _samples(parts: list[tuple[Case, tuple[Definition, ...]]], device: Gpu) -> OperatorSamples:
    chain = default_chain()
    costs: dict[Cost, int] = {}
    uses, others, kernels = [], [], []
    for _, work in parts:
        used: dict[int, int] = defaultdict(int)
        other_ns = 0.0
        for piece in work:
            cost = kernel_cost(piece, device) if piece.kind == Kind.KERNEL else None
            if cost is None:
                other_ns += chain.estimate(piece, device).duration_ns
            else:
                used[costs.setdefault(cost, len(costs))] += 1
        uses.append(used)
        others.append(other_ns)
        kernels.append(sum(used.values()))
    matrix = np.zeros((len(parts), len(costs)))
    for row, used in enumerate(uses):
        for column, count in used.items():
            matrix[row, column] = count
    measured = np.array([case.measured_ns for case, _ in parts])
    return OperatorSamples(tuple(costs), matrix, np.array(others), np.array(kernels), measured)
