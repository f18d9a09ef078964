"""docs/operators.md, written from outcomes only."""

from collections.abc import Sequence

from workshop.operators.case import KEPT
from workshop.operators.check import Outcome
from workshop.operators.coverage import Coverage
from workshop.operators.figures import COLUMNS, Key, by, figures, mode
from workshop.operators.goals import far_table, findings_table, goals_table, misses_table
from workshop.operators.sources import SOURCES

_HEAD = f"""# Accuracy of single operators

Written by `python -m workshop validate ops --write`; every figure comes from it. Published times of
single operators (`workshop/data/sources.yaml` names their origin) are compared with estimates of
what a program of ours with the same sizes launches (`workshop/operators/programs`). Each program
was recorded once under the emulator of an H100; the records are kept in
`workshop/operators/recorded` and estimated on every GPU that was measured.

Errors are relative to the measured time; bias is the median of the signed errors (positive:
estimated too long); the worst is the largest factor; inside is the share of rows that the printed
intervals hold, which are to hold 85 % (kernels of a row are taken to err together). One problem in
{KEPT}, by a hash of its source and name, is *kept*: it was never looked at by itself and took no
part in any fit or choice. The other rows are *fit*. All rows of flagperf are fit: some had been
looked at before they were split.

Rows that the host's launches may decide about (less than 120 us, 400 us where compiled, and 16 us a
kernel, 32 us with autograd) are apart: no figure above the last table counts them. These bounds
were raised after fit rows of small kernels on T4 and B200 had been looked at. Figures of the kept
rows as a whole were seen between versions; choices were made by the fit rows.

Sources differ among themselves: libraries of 2024 to 2026, events or a profiler, caches flushed or
not. Programs were recorded with PyTorch 2.9. Two kinds of rows ran other kernels and are apart as
*older software*: compiled ones from before December 2025 (KernelBench) or August 2025 (Liger), as
Inductor writes its kernels anew with every release, and embeddings from before August 2025, which
gathered rows by another kernel. Convolutions in three dimensions on Hopper from before December
2025 are left out: cuDNN's kernels became several times slower since. So is one set of KernelBench
(H100, 1e2c63f): its compiled rows move more bytes than any H100 can.

Products, convolutions and what KernelBench's levels 2 and 3 put behind them joined this page late:
the forms of their models, and first fits by another split, had seen some of the rows that are kept
here. Their numbers were fitted again without them.

What a benchmark does around an operator follows its script (Liger: weights in fp32 beside bf16
inputs, gradients in the input's type or drawn anew, gradients of a sum).
"""

_GOALS = "Kept rows, without older software and rows that launches may decide about."

_MISSES = (
    "Families whose kept rows miss 15 % at the median, or hold rows that are off by more than a "
    "factor of two. Kept rows are counted, not named."
)

_FAR = "Fit rows that are off by more than a factor of two:"

_FOUND = (
    "Errors that an inspection of commit 9ed7fab found, and those of all rows of the same kind "
    "today, fit and kept."
)

_SAMPLES = (
    "Samples of PyTorch's own tests (`OpInfo`) for every operator, six at most in fp32, bf16 and "
    "fp16, forward and backward, were recorded under the emulator "
    "(`workshop/operators/samples.py`); the first launch of each kernel and library call is kept."
)

_OLDER = (
    "Compiled kernels of other releases, and embeddings: the kernels that were timed are not those "
    "that were estimated."
)

_LAUNCH = (
    "Rows that launches may decide about: an estimate of the kernels alone is compared with a time "
    "that holds both."
)


def page(outcomes: Sequence[Outcome], covered: Coverage | None = None) -> str:
    """The whole page."""
    counted = _counted(outcomes)
    parts = [_HEAD, "## Goals", _GOALS, goals_table(counted), _MISSES, misses_table(counted)]
    parts += [_FAR, far_table(counted), "## Found wrong once", _FOUND, findings_table(counted)]
    if covered:
        guessed = "\n".join(f"* `{name}`" for name in covered.assumed)
        parts += ["## Operators of PyTorch", _SAMPLES, f"{covered.line}.", guessed]
    parts += ["## By source", _table(("source", "mode"), counted, _by_source)]
    for name in SOURCES:
        group = [outcome for outcome in counted if outcome.case.source == name]
        parts += [f"## {name}", _table(("GPU", "mode"), group, _by_gpu)]
        parts.append(_table(("family", "direction", "mode"), group, _by_family))
    older = [o for o in outcomes if o.case.outdated and not o.launch_bound]
    parts += ["## Older software", _OLDER, _table(("source", "mode"), older, _by_source)]
    launched = [outcome for outcome in outcomes if outcome.launch_bound]
    parts += ["## Launches", _LAUNCH, _table(("source", "mode"), launched, _by_source)]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def summary_rows(outcomes: Sequence[Outcome]) -> list[tuple[str, ...]]:
    """By source, GPU and family; for the terminal."""
    counted = _counted(outcomes)
    keys: tuple[Key, ...] = (_by_source_gpu, _by_source_family)
    return [row for key in keys for row in _rows(counted, key)]


def _counted(outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [o for o in outcomes if not o.launch_bound and not o.case.outdated]


SUMMARY_COLUMNS = ("source", "mode", "of", "rows of", *COLUMNS)


def _by_source(outcome: Outcome) -> tuple[str, ...]:
    return (outcome.case.source, mode(outcome), outcome.case.split)


def _by_gpu(outcome: Outcome) -> tuple[str, ...]:
    return (outcome.case.gpu, mode(outcome), outcome.case.split)


def _by_family(outcome: Outcome) -> tuple[str, ...]:
    case = outcome.case
    return (case.family, case.program.direction, mode(outcome), case.split)


def _by_source_gpu(outcome: Outcome) -> tuple[str, ...]:
    return (outcome.case.source, mode(outcome), outcome.case.gpu, outcome.case.split)


def _by_source_family(outcome: Outcome) -> tuple[str, ...]:
    return (outcome.case.source, mode(outcome), outcome.case.family, outcome.case.split)


def _rows(outcomes: Sequence[Outcome], key: Key) -> list[tuple[str, ...]]:
    return [(*name, *figures(group).cells) for name, group in by(outcomes, key).items()]


def _table(names: tuple[str, ...], outcomes: Sequence[Outcome], key: Key) -> str:
    head = (*names, "rows of", *COLUMNS)
    rows = _rows(outcomes, key)
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
