"""What the estimates are meant to reach, and what was once found wrong: as measured today."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from workshop.operators.case import BACKWARD, Case
from workshop.operators.check import Outcome
from workshop.operators.figures import by, figures, mode

Chooses = Callable[[Case], bool]
Rows = list[tuple[str, ...]]
_FACTOR = 2.0
_FAMILY_MEDIAN = 0.15
_FUSED = ", fused"
_NETWORK = "network"


@dataclass(frozen=True, slots=True)
class Goal:
    """Median and 90th percentile of absolute errors on kept rows."""

    name: str
    chooses: Chooses
    median: float
    p90: float


def _level(number: int, case: Case) -> bool:
    """Of KernelBench: single operators, operators with others behind them."""
    if case.source != "kernelbench" or case.family == _NETWORK:
        return False
    return (_FUSED in case.family) == (number == 2)


def _eager_level(number: int, gpu: str = "") -> Chooses:
    return lambda c: _level(number, c) and not c.program.compiled and gpu in ("", c.gpu)


def _compiled(case: Case) -> bool:
    return case.source == "kernelbench" and case.program.compiled


def _norms(source: str, backward: bool) -> Chooses:
    return lambda c: c.source == source and (c.program.direction == BACKWARD) == backward


_OTHERS = ("h100-pcie", "l40s", "l4", "b200", "t4")
GOALS = (
    Goal("KernelBench level 1, h100", _eager_level(1, "h100"), 0.06, 0.20),
    *(Goal(f"KernelBench level 1, {gpu}", _eager_level(1, gpu), 0.08, 0.25) for gpu in _OTHERS),
    Goal("KernelBench level 2", _eager_level(2), 0.05, 0.15),
    Goal("KernelBench, torch.compile", _compiled, 0.05, 0.20),
    Goal("Liger, forward and both passes", _norms("liger", False), 0.06, 0.20),
    Goal("Liger, backward", _norms("liger", True), 0.08, 0.25),
    *(
        Goal(f"cuDNN's norms, {name}", _norms("cudnn_norms", back), median, p90)
        for name, back, median, p90 in (
            ("forward", False, 0.06, 0.20),
            ("backward", True, 0.08, 0.25),
        )
    ),
)


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found wrong once: its range of errors then, and whose rows tell of today."""

    name: str
    before: str
    chooses: Chooses


def _problem(*numbers: int, gpu: str = "", compiled: bool = False) -> Chooses:
    def chooses(case: Case) -> bool:
        own = case.source == "kernelbench" and case.program.compiled == compiled
        first = case.problem.partition("_")[0]
        level = _FUSED not in case.family and case.family != _NETWORK
        return own and level and first in map(str, numbers) and gpu in ("", case.gpu)

    return chooses


def _family(source: str, family: str, gpu: str = "", compiled: bool = False) -> Chooses:
    def chooses(case: Case) -> bool:
        own = case.source == source and case.program.compiled == compiled
        return own and case.family == family and gpu in ("", case.gpu)

    return chooses


def _rms_norm(case: Case) -> bool:
    return case.source == "liger" and case.program.name == "rms_norm" and not case.program.compiled


FINDINGS = (
    Finding("cumsum, cumprod, cummax", "-100%", _family("kernelbench", "scan")),
    Finding("average pooling", "-40% to -96%", _problem(44, 45, 46)),
    Finding("max pooling", "-40% to -96%", _problem(41, 42, 43)),
    Finding("3D and transposed convolution", "-35% to -94%", _problem(58, 61, 68, 70, 72, 73, 77)),
    Finding("1x1 convolution, TF32, NCHW", "+170% to +200%", _problem(87)),
    Finding("softmax of long rows", "+31% to +52%", _family("kernelbench", "softmax")),
    Finding("norms, l40s", "+705%", _family("kernelbench", "norm", "l40s")),
    Finding("Hugging Face's RMSNorm", "-11% to -23%", _rms_norm),
    Finding("fp32 products, l40s", "-37%", _family("kernelbench", "product", "l40s")),
    Finding("fp32 linear layers, l40s", "-58%", _family("kernelbench", "product, fused", "l40s")),
    Finding("products with a large k", "+57%", _problem(6)),
    Finding("compiled reductions and norms, which walk twice", "-28% to -54%",
            lambda c: _compiled(c) and c.family in ("norm", "softmax", "reduction")),
    Finding("bound by memory, h100", "-4% to -18%", _family("kernelbench", "elementwise", "h100")),
)  # fmt: skip


def goals_table(outcomes: Sequence[Outcome]) -> str:
    """Kept rows against what they are meant to reach."""
    rows: Rows = [("goal", "rows", "median", "asked", "90th percentile", "asked", "reached")]
    for goal in GOALS:
        chosen = [o for o in outcomes if o.case.kept and goal.chooses(o.case)]
        if not chosen:
            rows.append((goal.name, "0", "", "", "", "", "not measured"))
            continue
        found = figures(chosen)
        good = (found.median <= goal.median, found.p90 <= goal.p90)
        told = "yes" if all(good) else "no" if not any(good) else "in part"
        asked = (f"{goal.median:.0%}", f"{goal.p90:.0%}")
        cells = (f"{found.median:.1%}", asked[0], f"{found.p90:.1%}", asked[1])
        rows.append((goal.name, str(found.rows), *cells, told))
    return _markdown(rows)


def misses_table(outcomes: Sequence[Outcome]) -> str:
    """Families whose kept rows are off by more than 15 % at the median, or by a factor of two."""
    rows: Rows = [
        ("source", "family", "direction", "mode", "kept rows", "median", "off by a factor of 2")
    ]
    kept = [outcome for outcome in outcomes if outcome.case.kept]
    for key, group in by(kept, _family_key).items():
        far, found = sum(map(_is_far, group)), figures(group)
        if far or found.median > _FAMILY_MEDIAN:
            rows.append((*key, str(found.rows), f"{found.median:.1%}", str(far)))
    return _markdown(rows)


def far_table(outcomes: Sequence[Outcome]) -> str:
    """Fit rows that are off by more than a factor of two, by problem."""
    rows: Rows = [("problem", "mode", "GPUs: errors")]
    far = [o for o in outcomes if not o.case.kept and _is_far(o)]
    for (problem, name), group in by(far, lambda o: (o.case.problem, mode(o))).items():
        told = ", ".join(f"{o.case.gpu} {o.error:+.0%}" for o in group)
        rows.append((problem, name, told))
    return _markdown(rows)


def findings_table(outcomes: Sequence[Outcome]) -> str:
    """All rows of today beside the errors that were found."""
    rows: Rows = [("what", "then", "rows", "median of errors today", "from", "to", "kept: median")]
    for finding in FINDINGS:
        chosen = [o for o in outcomes if finding.chooses(o.case)]
        if not chosen:
            continue
        errors = np.array([outcome.error for outcome in chosen])
        kept = np.array([abs(o.error) for o in chosen if o.case.kept])
        told = [f"{value:+.0%}" for value in (np.median(errors), errors.min(), errors.max())]
        apart = f"{np.median(kept):.1%}" if len(kept) else "none kept"
        rows.append((finding.name, finding.before, str(len(chosen)), *told, apart))
    return _markdown(rows)


def _is_far(outcome: Outcome) -> bool:
    return not 1 / _FACTOR <= 1 + outcome.error <= _FACTOR


def _family_key(outcome: Outcome) -> tuple[str, ...]:
    case = outcome.case
    return case.source, case.family, case.program.direction, mode(outcome)


def _markdown(rows: Sequence[tuple[str, ...]]) -> str:
    lines = [rows[0], ("---",) * len(rows[0]), *rows[1:]]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
