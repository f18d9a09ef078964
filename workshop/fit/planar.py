"""Convolutions in TF32, forward and transposed, from KernelBench: compiled ones, channels last."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from maya.estimate.chain import Chain, default_chain
from maya.estimate.library.conv_problem import ConvProblem, conv_problem
from maya.estimate.library.convolution import conv_estimate
from maya.estimate.library.planar import (
    VOLUME,
    PlanarShares,
    is_last,
    planar_ns,
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
_OWN = ("plane", "volume", "few", "few_volume", "last")  # of each architecture; the rest is of all
_COMMON = (
    "few_gradient", "even", "grouped", "channels", "memory", "last_channels", "last_memory",
)  # fmt: skip
_START = {
    "plane": 0.8, "volume": 0.2, "few": 0.5, "few_volume": 0.25, "few_gradient": 0.07,
    "even": 0.06, "grouped": 0.15, "channels": 64.0,
    "memory": 0.9, "last": 0.5, "last_channels": 8.0, "last_memory": 0.9,
}  # fmt: skip
_PRIOR = 0.15
# Channels last comes from compiled programs, whose other kernels are known less well: rows that are
# far off weigh next to nothing.
_LAST = ("last", "last_channels", "last_memory")
_OUTLIER, _OUTLIER_OF_LAST = 0.5, 0.2
_MOST = {"channels": 1000.0, "last_channels": 1000.0}  # all others are shares


@dataclass(frozen=True, slots=True)
class Sample:
    """Convolutions on a GPU, one or a network's, and the events' time without all else."""

    gpu: str
    problems: tuple[ConvProblem, ...]
    time_ns: float
    kept: bool  # one problem in three is never fitted

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
    if case.program.compiled and not all(is_last(problem) for problem in problems):
        return None  # as eager
    return Sample(case.gpu, tuple(problems), time_ns, case.kept)


def fit(rows: Sequence[Sample]) -> dict[str, dict[str, float]]:
    """Robust least squares of logarithms: five shares an architecture, seven numbers for all."""
    rows = [row for row in rows if row.planar]
    names = sorted({row.architecture for row in rows})
    keys = [(name, key) for name in names for key in _OWN] + [("all", key) for key in _COMMON]
    start = {key: _START[key[1]] for key in keys}
    lasts = [row for row in rows if is_last(row.problem)]
    others = [row for row in rows if not is_last(row.problem)]
    planar = _least(others, start, [key for key in keys if key[1] not in _LAST], _OUTLIER)
    known = {row.architecture for row in lasts}
    free = [key for key in keys if key[1] in _LAST and key[0] in (*known, "all")]
    found = _least(lasts, planar, free, _OUTLIER_OF_LAST) if lasts else planar
    return _table(rows, {key: found[key] for key in keys if key not in _unknown(keys, free)})


Keys = dict[tuple[str, str], float]  # by architecture, or `all`, and name


def _unknown(
    keys: Sequence[tuple[str, str]], free: Sequence[tuple[str, str]]
) -> set[tuple[str, str]]:
    """What no row of its architecture tells."""
    return {key for key in keys if key[1] in _LAST and key not in free}


def _least(
    rows: Sequence[Sample], start: Keys, free: Sequence[tuple[str, str]], scale: float
) -> Keys:
    """Rows far off count less; with the narrower scale next to nothing."""
    from scipy.optimize import least_squares

    loss = "soft_l1" if scale == _OUTLIER else "cauchy"
    first = np.log([start[key] for key in free])
    usual = np.log([_START[key[1]] for key in free])
    measured = np.log([row.time_ns for row in rows])

    def values(point: Array) -> Keys:
        return start | dict(zip(free, np.exp(point).tolist(), strict=True))

    def residuals(point: Array) -> Array:
        error = np.log(predict(rows, _table(rows, values(point)))) - measured
        return np.concatenate([error, _PRIOR * (point - usual)])

    found = least_squares(residuals, first, loss=loss, f_scale=scale, diff_step=2e-2)
    return values(found.x)


def _table(rows: Sequence[Sample], values: Keys) -> dict[str, dict[str, float]]:
    """As convolution.json has it."""
    table: dict[str, dict[str, float]] = {name: {} for name, _ in values}
    for (name, key), value in values.items():
        table[name][key] = float(f"{min(value, _MOST.get(key, 1.0)):.3g}")
    with_cores = {row.architecture for row in rows if "tf32" in find_gpu(row.gpu).flops_per_s}
    for key in _OWN:  # of an architecture that nobody measured
        logs = [np.log(table[n][key]) for n in sorted(with_cores) if key in table[n]]
        logs = logs or [np.log(_START[key])]
        table["all"][key] = float(f"{np.exp(np.mean(logs)):.3g}")
    return table


def predict(rows: Sequence[Sample], table: dict[str, dict[str, float]]) -> Array:
    """With a table of shares."""
    found = []
    for row in rows:
        shares = PlanarShares(**(table["all"] | table.get(row.architecture, {})))
        found.append(float(planar_ns(row.problems, find_gpu(row.gpu), shares).sum()))
    return np.array(found)


def fit_all() -> None:
    """Into convolution.json."""
    path = PARAMETERS / "convolution.json"
    content = json.loads(path.read_text("utf-8"))
    content["planar"] = fit([row for row in samples() if not row.kept])
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
