"""Estimators in a row: the first that answers wins."""

from collections.abc import Sequence

from maya.estimate.gemm.estimator import RooflineGemm
from maya.estimate.gemm.learned import LearnedGemm
from maya.estimate.kernels.estimator import AssumedKernel, KernelEstimator
from maya.estimate.library.estimator import AssumedLibrary, LibraryEstimator
from maya.estimate.power import within_power
from maya.estimate.ptx.count import DATA_SHARE
from maya.estimate.ptx.estimator import PtxEstimator
from maya.estimate.transfer import TransferEstimator
from maya.estimate.types import Estimate, Estimator, Source
from maya.hardware import Gpu
from maya.trace import Definition

_NOTHING_NS = 1000  # device work of a kind that nobody knows
_LONGEST_NS = 10**12  # no kernel takes a quarter of an hour: its arguments were misread, or made up


class Chain:
    """Always answers, never with zero; remembers what it has answered."""

    def __init__(self, estimators: Sequence[Estimator]) -> None:
        self.estimators = tuple(estimators)
        self._devices: list[tuple[Gpu, Gpu]] = []  # as asked about, and within its power limit
        self._known: dict[tuple[object, ...], Estimate] = {}

    def estimate(self, work: Definition, device: Gpu) -> Estimate:
        """The first answer."""
        number = self._number(device)
        key = (number, work.kind, work.op, work.blob, *work.fields.values())
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._ask(work, self._devices[number][1])
        return found

    def _number(self, device: Gpu) -> int:
        """Variants of one model share its id, so a GPU is known by all of its facts."""
        for number, (asked, _) in enumerate(self._devices):
            if asked is device or asked == device:
                return number
        self._devices.append((device, within_power(device)))
        return len(self._devices) - 1

    def _ask(self, work: Definition, device: Gpu) -> Estimate:
        for estimator in self.estimators:
            answer = estimator.estimate(work, device)
            if answer is not None and answer.duration_ns > _LONGEST_NS:
                return Estimate(_LONGEST_NS, Source.ASSUMED, 1.0)
            if answer is not None and answer.duration_ns > 0:
                return answer
        return Estimate(_NOTHING_NS, Source.ASSUMED, 1.0)


def default_chain(extra: Sequence[Estimator] = (), mask_density: float = DATA_SHARE) -> Chain:
    """The user's own estimators, then fitted and analytical models, then bounded guesses.

    `mask_density` is the share of a mask's blocks that kernels compute where data decides about it.
    """
    return Chain(
        (
            *extra,
            LearnedGemm(),
            RooflineGemm(),
            LibraryEstimator(),
            PtxEstimator(data_share=mask_density),
            KernelEstimator(),
            PtxEstimator(mangled=True, data_share=mask_density),
            TransferEstimator(),
            AssumedKernel(),
            AssumedLibrary(),
        )
    )
