"""Estimators in a row: the first that answers wins."""

from collections.abc import Sequence
from dataclasses import replace

from maya.estimate.corrections import Corrections
from maya.estimate.gemm.estimator import RooflineGemm
from maya.estimate.gemm.learned import LearnedGemm
from maya.estimate.kernels.estimator import AssumedKernel, KernelEstimator
from maya.estimate.library.estimator import AssumedLibrary, LibraryEstimator
from maya.estimate.masks import MaskDensity
from maya.estimate.power import within_power
from maya.estimate.ptx.estimator import PtxEstimator
from maya.estimate.transfer import TransferEstimator
from maya.estimate.types import Estimate, Estimator, Source
from maya.hardware import Gpu
from maya.trace import Definition

_NOTHING_NS = 1000  # device work of a kind that nobody knows
_LONGEST_NS = 10**12  # no kernel takes a quarter of an hour: its arguments were misread, or made up


class Chain:
    """Always answers, never with zero; remembers what it has answered."""

    def __init__(
        self, estimators: Sequence[Estimator], corrections: Corrections | None = None
    ) -> None:
        self.estimators = tuple(estimators)
        self.corrections = corrections or Corrections()
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
        answers = (estimator.estimate(work, device) for estimator in self.estimators)
        told = (answer for answer in answers if answer is not None and answer.duration_ns > 0)
        first = next(told, Estimate(_NOTHING_NS, Source.ASSUMED, 1.0))
        if first.source == Source.MEASURED:
            return _with_work(first, next(told, None))
        if first.duration_ns > _LONGEST_NS:
            return Estimate(_LONGEST_NS, Source.ASSUMED, 1.0)
        return self.corrections.correct(work, device, first)


def _with_work(measured: Estimate, model: Estimate | None) -> Estimate:
    """A profiler tells how long; how much was computed and moved, only a model does."""
    if model is None or measured.flops or measured.bytes:
        return measured
    return replace(measured, flops=model.flops, bytes=model.bytes)


def default_chain(
    extra: Sequence[Estimator] = (),
    masks: MaskDensity | None = None,
    corrections: Corrections | None = None,
) -> Chain:
    """The user's own estimators, then fitted and analytical models, then bounded guesses.

    `corrections` are what the user's measurements tell of whole families of kernels.

    `masks` tell how many of a mask's blocks kernels compute where data decides about it.
    """
    return Chain(
        (
            *extra,
            LearnedGemm(),
            RooflineGemm(),
            LibraryEstimator(),
            PtxEstimator(masks=masks),
            KernelEstimator(),
            PtxEstimator(mangled=True, masks=masks),
            TransferEstimator(),
            AssumedKernel(),
            AssumedLibrary(),
        ),
        corrections,
    )
