"""Which measurements would narrow a prediction most, and the script that makes them."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pprint import pformat

from maya.analyze import Prediction
from maya.analyze.uncertainty import Doubts, doubtful_work, doubts_of
from maya.calibration.observations import Key, key_of
from maya.calibration.recipes import Item, recipe
from maya.errors import MayaError
from maya.estimate import Source
from maya.estimate.problem import library_problem
from maya.trace import Definition
from maya.trace.kernel_class import name_of
from maya.trace.problem import problem

_CANDIDATES = 300  # those with the most doubt; the others cannot matter
_SCRIPT = "measure.py.txt"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A piece of work to be measured."""

    name: str
    kernel_class: str
    share: float  # of the device's time
    uncertainty: float  # of its estimate, one sigma
    sigma: float  # of the device's time once this and all before it are measured
    item: Item | None  # None: stock PyTorch cannot be told to do it alone


@dataclass(frozen=True, slots=True)
class MeasurementPlan:
    """The most useful measurements first."""

    gpu: str
    sigma: float  # of the device's time now: relative, one sigma
    wanted: tuple[Wanted, ...]

    def script(self) -> str:
        """A program for stock PyTorch; MayaError where it could measure nothing."""
        items = [one.item for one in self.wanted if one.item]
        if not items:
            raise MayaError(
                "none of these kernels can be measured by a script of its own",
                hint="profile the program itself: maya calibrate TRACE --run RUN",
            )
        text = files("maya.calibration").joinpath(_SCRIPT).read_text("utf-8")
        told = pformat(items, width=96, sort_dicts=False)
        return text.replace('GPU = ""', f"GPU = {self.gpu!r}").replace(
            "ITEMS = []", f"ITEMS = {told}"
        )


@dataclass(slots=True)
class _Candidate:
    work: Definition
    kernel_class: str
    time: float = 0.0
    doubt: float = 0.0

    @property
    def error(self) -> float:
        return self.doubt / self.time


def plan_measurements(prediction: Prediction, most: int = 20) -> MeasurementPlan:
    """One after the other, whichever leaves least doubt about the time of the device."""
    gpu = prediction.cluster.gpu
    doubts = doubts_of(prediction.job, gpu)
    wanted: list[Wanted] = []
    now, total = doubts.sigma, doubts.total
    left = _candidates(prediction)
    while left and len(wanted) < most:
        with_it = _sigma_with(doubts)
        best = min(left, key=with_it)
        if with_it(best) >= doubts.sigma:
            break  # what a measurement leaves is as much as is left
        left.remove(best)
        doubts.measure(best.kernel_class, best.time, best.error)
        item = recipe(best.work)
        name = _name(best.work)
        share = best.time / total
        if item:
            item = {"name": name, "share": round(share, 6), **item}
        wanted.append(Wanted(name, best.kernel_class, share, best.error, doubts.sigma, item))
    return MeasurementPlan(gpu.id, now, tuple(wanted))


def _name(work: Definition) -> str:
    known = library_problem(work)
    if known is None:
        return f"{name_of(work)} {problem(work)}"
    return " ".join([known.name, *(f"{name}={value}" for name, value in known.fields.items())])


def _sigma_with(doubts: Doubts) -> Callable[[_Candidate], float]:
    def sigma(one: _Candidate) -> float:
        tried = doubts.copy()
        tried.measure(one.kernel_class, one.time, one.error)
        return tried.sigma

    return sigma


def _candidates(prediction: Prediction) -> list[_Candidate]:
    found: dict[Key, _Candidate] = {}
    for kind, time, error, work in doubtful_work(prediction.job):
        key = key_of(work)
        if key is None or kind == Source.MEASURED or not time:
            continue
        own = found.setdefault(key, _Candidate(work, kind))
        own.time += time
        own.doubt += time * error
    return sorted(found.values(), key=lambda own: -own.time)[:_CANDIDATES]
