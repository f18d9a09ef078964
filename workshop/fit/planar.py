"""Convolutions in TF32, forward and transposed, from KernelBench: compiled ones, channels last."""

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from maya.estimate.chain import Chain, default_chain
from maya.estimate.cost import floor_ns
from maya.estimate.interval import COVERAGE, WIDTH
from maya.estimate.library.conv_problem import ConvProblem, conv_problem
from maya.estimate.library.convolution import conv_estimate
from maya.estimate.library.planar import (
    VOLUME,
    WITHOUT_TF32,
    ConvolutionDemand,
    PlanarShares,
    demand,
    is_last,
    takes_shares,
)
from maya.hardware import find_gpu
from maya.trace import Definition
from workshop.fit.errors import Accuracy, accuracy
from workshop.measurements.store import measurements
from workshop.operators.case import Case
from workshop.operators.check import Outcome
from workshop.operators.sources import kernelbench
from workshop.operators.store import recordings
from workshop.paths import PARAMETERS

Array = npt.NDArray[np.float64]
_CONVOLUTION = "cudnn_conv"
_LEAST_SHARE = 0.4  # of a call, that must be the convolution's
_HARNESS_NS = 10_000.0  # events around a call: a launch's latency
# Each kind of kernel runs at a share that architectures have in common, and a deviation of each.
_SHARES = {
    "plane": 0.4, "volume": 0.2, "volume_strided": 0.3, "even": 0.06, "last": 0.6,
    "few": 0.5, "few_volume": 0.25, "few_gradient": 0.07, "grouped": 0.15,
    "frequency": 0.07,
}  # fmt: skip
_COMMON = {
    "channels": 10.0, "memory": 0.8, "few_memory": 0.9, "frequency_memory": 0.15,
    "last_channels": 8.0, "last_memory": 0.8,
}  # fmt: skip
_ALIKE = ("frequency",)  # one architecture says nothing of deviations
_PRIOR, _OWN_PRIOR = 0.15, 0.3
# Which kernel the heuristics take is not known, and compiled programs have others beside it: rows
# that are far off weigh next to nothing.
_OUTLIER = 0.2
_MEAN, _ALL = "mean", "all"
_FOLDS = 5
# Of kinds whose few problems happen to be alike: shapes alike differ by half.
_LEAST_DOUBT = {
    "volume": 0.5,
    "volume_strided": 0.5,
    "few_volume": 0.5,
    "grouped": 0.5,
    "frequency": 0.5,
}
_USUAL_DOUBT = 0.3


@dataclass(frozen=True, slots=True)
class Sample:
    """Convolutions on a GPU, one or a network's, and the events' time without all else."""

    gpu: str
    problems: tuple[ConvProblem, ...]
    time_ns: float
    kept: bool  # one problem in three is never fitted
    name: str = ""  # of the problem

    @property
    def problem(self) -> ConvProblem:
        """The widest."""
        return max(self.problems, key=lambda problem: problem.c)

    @property
    def planar(self) -> bool:
        """Whether the shares decide about all of it."""
        gpu = find_gpu(self.gpu)
        return all(takes_shares(problem, gpu) for problem in self.problems)

    @property
    def architecture(self) -> str:
        """Of its GPU."""
        return find_gpu(self.gpu).architecture


@cache
def samples() -> tuple[Sample, ...]:
    """Programs that are mostly convolutions, without the launches and all other kernels."""
    known, chain = recordings(), default_chain()
    cases = [case for case in kernelbench.cases(measurements()) if not case.outdated]
    found = [
        _sample(c, known.work[c.program.key], chain) for c in cases if c.program.key in known.work
    ]
    return tuple(sample for sample in found if sample)


def _sample(case: Case, work: Sequence[Definition], chain: Chain) -> Sample | None:
    gpu, problems, others_ns = find_gpu(case.gpu), list[ConvProblem](), 0.0
    if Outcome(case, case.measured_ns, len(work)).launch_bound:
        return None
    for piece in work:
        problem = conv_problem(piece) if piece.op.startswith(_CONVOLUTION) else None
        if problem:
            problems.append(problem)
        else:
            others_ns += chain.estimate(piece, gpu).duration_ns
    time_ns = case.measured_ns - _HARNESS_NS - others_ns
    if not problems or time_ns < _LEAST_SHARE * case.measured_ns:
        return None
    if case.program.compiled and not all(_tells_more(problem) for problem in problems):
        return None  # as eager
    return Sample(case.gpu, tuple(problems), time_ns, case.kept, case.problem)


Key = tuple[str, str]  # an architecture, `mean` or `all`, and a name
Table = dict[str, dict[str, float]]


def _tells_more(problem: ConvProblem) -> bool:
    """Compiled: another layout, or the same kernel with less beside it."""
    return is_last(problem) or problem.spatial >= VOLUME


def fit(rows: Sequence[Sample]) -> Table:
    """Robust least squares of logarithms, with all kinds and architectures together."""
    from scipy.optimize import least_squares

    rows = [row for row in rows if row.planar]
    demands = _demands(rows)
    keys = _keys(rows, demands)
    start = np.array([np.log(_first(key)) for key in keys])
    weight = np.array([_PRIOR if key[0] in (_MEAN, _ALL) else _OWN_PRIOR for key in keys])
    measured = np.log([row.time_ns for row in rows])

    def residuals(point: Array) -> Array:
        table = _table(keys, point)
        error = np.log(_predicted(rows, demands, table)) - measured
        return np.concatenate([error, weight * (point - start)])

    found = least_squares(residuals, start, loss="cauchy", f_scale=_OUTLIER, diff_step=2e-2)
    return {
        name: {key: float(f"{value:.3g}") for key, value in shares.items()}
        for name, shares in _table(keys, found.x).items()
    }


def _demands(rows: Sequence[Sample]) -> list[list[ConvolutionDemand]]:
    return [[demand(problem, find_gpu(row.gpu)) for problem in row.problems] for row in rows]


def _keys(rows: Sequence[Sample], demands: Sequence[Sequence[ConvolutionDemand]]) -> list[Key]:
    own = {(row.architecture, d.share) for row, of in zip(rows, demands, strict=True) for d in of}
    own = {key for key in own if key[1] not in _ALIKE}
    means = [(_MEAN, name) for name in _SHARES]
    return [*means, *sorted(own), *((_ALL, name) for name in _COMMON)]


def _has_cores(architecture: str) -> bool:
    """Else shares are of the fp32 peak, and have nothing in common with the others'."""
    return architecture not in WITHOUT_TF32


def _first(key: Key) -> float:
    """Where the fit starts: means at what is usual, deviations at none."""
    of, name = key
    deviates = of not in (_MEAN, _ALL) and _has_cores(of)
    return 1.0 if deviates else (_SHARES | _COMMON)[name]


def _table(keys: Sequence[Key], point: Array) -> Table:
    """As convolution.json has it: `all` stands for architectures that nobody measured."""
    values = dict(zip(keys, np.exp(point).tolist(), strict=True))
    table: Table = {_ALL: {name: min(1.0, values[_MEAN, name]) for name in _SHARES}}
    for (of, name), value in values.items():
        if of == _ALL:
            table[_ALL][name] = value
        elif of != _MEAN:
            share = value * values[_MEAN, name] if _has_cores(of) else value
            table.setdefault(of, {})[name] = min(1.0, share) if _has_cores(of) else share
    return table


def _predicted(
    rows: Sequence[Sample], demands: Sequence[Sequence[ConvolutionDemand]], table: Table
) -> Array:
    shares = {
        name: PlanarShares(**(table[_ALL] | table.get(name, {})))
        for name in {row.architecture for row in rows}
    }
    return np.array([
        sum(d.time_ns(shares[row.architecture]) + floor_ns(find_gpu(row.gpu)) for d in of)
        for row, of in zip(rows, demands, strict=True)
    ])  # fmt: skip


def predict(rows: Sequence[Sample], table: Table) -> Array:
    """With a table of shares."""
    return _predicted(rows, _demands(rows), table)


def doubts(rows: Sequence[Sample]) -> dict[str, float]:
    """Of each kind, so wide that the printed interval holds rows of problems left out in turn."""
    rows = [row for row in rows if row.planar]
    errors = left_out(rows)
    kinds = np.array([demand(row.problem, find_gpu(row.gpu)).share for row in rows])
    result = {}
    for kind in _SHARES:
        reached = float(np.quantile(np.abs(errors[kinds == kind]), COVERAGE))
        least = _LEAST_DOUBT.get(kind, _USUAL_DOUBT)
        result[kind] = max(least, float(f"{np.expm1(reached) / WIDTH:.2g}"))
    return result


def left_out(rows: Sequence[Sample]) -> Array:
    """Logarithms of predicted over measured, by fits without any row of the same problem."""
    folds = np.array([zlib.crc32(row.name.encode()) % _FOLDS for row in rows])
    errors = np.zeros(len(rows))
    for fold in sorted(set(folds.tolist())):
        table = fit([row for row, of in zip(rows, folds, strict=True) if of != fold])
        own = [row for row, of in zip(rows, folds, strict=True) if of == fold]
        errors[folds == fold] = np.log(predict(own, table) / [row.time_ns for row in own])
    return errors


def fit_all() -> None:
    """Into convolution.json."""
    path = PARAMETERS / "convolution.json"
    content = json.loads(path.read_text("utf-8"))
    rows = [row for row in samples() if not row.kept]
    content["planar"], content["planar_doubt"] = fit(rows), doubts(rows)
    path.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    for name, found in evaluate().items():
        print(f"{name}: {found.as_row()}", flush=True)


def evaluate() -> dict[str, Accuracy]:
    """Fitted and kept shapes by kind, as estimated."""
    rows, result = samples(), {}
    for side in (False, True):
        for kind in ("product", "plane", "volume", "groups", "channels last"):
            chosen = [row for row in rows if row.kept == side and _kind(row.problem) == kind]
            label = f"TF32 {kind}, {'kept' if side else 'fitted'}"
            if chosen:
                found = [_estimate_ns(row) for row in chosen]
                times = np.array([row.time_ns for row in chosen])
                result[label] = accuracy(np.array(found, dtype=np.float64), times)
    return result


def _estimate_ns(row: Sample) -> float:
    gpu = find_gpu(row.gpu)
    return float(sum(conv_estimate(problem, gpu).duration_ns for problem in row.problems))


def leave_one_out() -> dict[str, Accuracy]:
    """A GPU's planar convolutions with shares fitted to the others."""
    rows, result = [row for row in samples() if row.planar], {}
    for gpu in sorted({row.gpu for row in rows}):
        table = fit([row for row in rows if row.gpu != gpu and not row.kept])
        own = [row for row in rows if row.gpu == gpu]
        result[gpu] = accuracy(predict(own, table), np.array([row.time_ns for row in own]))
    return result


def _kind(problem: ConvProblem) -> str:
    if is_last(problem):
        return "channels last"
    if problem.filter_volume == 1:
        return "product"
    if problem.groups > 1:
        return "groups"
    return "volume" if problem.spatial >= VOLUME else "plane"
