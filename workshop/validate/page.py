"""docs/accuracy.md, written from outcomes only."""

import textwrap
from collections import Counter
from collections.abc import Sequence

from workshop.validate.breakdown import groups
from workshop.validate.case import Outcome
from workshop.validate.coverage import leave_one_source_out
from workshop.validate.published import EARLIER
from workshop.validate.sources import SOURCES
from workshop.validate.statistics import Figures, by_source, figures, over_sources

_HEAD = """# Accuracy of whole predictions

Written by `python -m workshop validate --write`; every figure comes from it. Each published
measurement is repeated as a real script (`examples/validate`) under the emulator and predicted on
the cluster it was measured on. Errors are relative to the measured step time; bias is the median
of the signed errors (positive: predicted too long); inside is the share of measurements within
the printed interval, which is meant to hold 85 %: the uncertainty of the device as a whole was
chosen so that it held 62 of the 73 seen cases that had been run by then, and where load is fitted
it is what steps of sources that the fit left out err by, less what that counts twice (a fifth, by
62 seen cases; rows marked `earlier` have the wider intervals of before). `mean of sources` counts
each source once, however many cases it has. Cases that failed are
listed with the reason and count in no figure; `not run` means that no run was at hand.

Rows are chosen by position, evenly over each file, without regard to their error. *Seen* cases
were looked at while models were formed: the reading of elementwise and attention kernels, the
wait for an optimiser, host costs and the rule for intervals were changed after looking at them.
*Unseen* cases lie between them and were run for the report only. One pair of constants comes from
step times: instructions of cuDNN's direct kernels for wide groups in channels last, which nobody
measured alone, were set by dm_nfnet_f5 and resnest269e of timm-nhwc, and when such kernels are
taken by gcresnext26ts, regnetz_b16 and the other rows of timm's tables, both layouts beside each
other. These rows are no test of it.

Constants of sustained load (energy of an operation, spread of GPUs, two numbers for each of A100
and H100) are fitted by `python -m workshop steps` to the seen cases of mosaic, torchtitan,
ultrascale, vtrain and vtrain-multi that the device decides about, all sources with the same weight,
those with fewer than three such cases in proportion; the spread also to their unseen cases of one
model at several scales, and to NVIDIA's times of NeMo recipes on up to 2,048 H100. About fifteen
fits were tried. The form of the model (power of each kernel, not of the step, which was tried again
and made mosaic worse; energy by the clock to the power of 1.5; an exponential tail), the weights
and the SMs of communication were chosen after looking at all cases of these sources that had been
run, seen or not. So for these sources *unseen* means that the constants were not fitted to them, no
more; the command also prints each source's error where the fit left it out.

The crowding of hosts was set after looking at seen cases of ultrascale and vtrain and at the times
of all recipes of ultrascale (not at predictions of unseen ones): how long a layer takes where the
host decides, and how much longer where tensor parallelism spans nodes. The latter also said that a
ring's chunks cross the network once for each node, which measured collectives confirm. Memory-
efficient attention in heads of 128 was changed after mosaic's seen long sequences had come out 9 to
23 % too long.

Scripts run on PyTorch 2.9 with today's libraries, while measurements are one to four years older:
part of each error is the difference between the two.

A run is kept and predicted again as long as the script, its arguments, the GPU and PyTorch are the
same; each source says below which state of the emulator (the last commit that changed it) made its
runs. Runs stay on the machine that made them: with `--keep-published` a case without one keeps the
row that this page had of it, predicted with the constants of that time, and is marked `earlier`.

CPU times come from an emulating machine that was busy with other work; programs held a core while
their host's pace was told, except in runs marked `earlier`, of which vtrain's came out 15 % longer.

Of the unseen cases, some of timm, convnets, mosaic and vtrain had been looked at before the
uncertainty of CPU times was raised from 20 to 30 % and before the micro-batches of convnets were
limited, so their share inside the interval is no clean test. Nor are the errors of timm,
convnets and mosaic: they were looked at between variants of batch normalisation, depthwise
convolutions, attention and the carrying over of products to other GPUs. The rules for strided
elementwise kernels, small tiles, padded channels and gradients of inputs that followed were formed
on seen cases of timm and all of convnets; a dozen unseen cases of timm had been looked at before
the last two were narrowed to more than eight channels and to dense convolutions.
"""

_INTERVALS = (
    "Leave one source out: a factor of the printed widths is chosen by the seen cases of the other "
    "sources, each of which counts once, so that 85 % are inside, and judged by all cases of this "
    "one."
)


def page(outcomes: Sequence[Outcome]) -> str:
    """The whole page."""
    parts = [_HEAD, "## By source", _summary(outcomes), *_coverage(outcomes), *_breakdown(outcomes)]
    for name, group in by_source(outcomes).items():
        about = SOURCES[name].about + _makers(group)
        parts += [f"## {name}", _wrapped(about), _table(group)]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def summary_rows(outcomes: Sequence[Outcome]) -> list[tuple[str, ...]]:
    """A row a source and set, and the sum; text for people."""
    rows: list[tuple[str, ...]] = []
    for name, group in by_source(outcomes).items():
        for label, chosen in _sets(group):
            rows.append((name, label, *_cells(figures(chosen))))
    if len(rows) > 1:
        for name, group in _totals(outcomes):
            for label, chosen in _sets(group):
                rows.append((name, label, *_cells(figures(chosen))))
                rows.append((name, f"{label}, mean of sources", *_cells(over_sources(chosen))))
    return rows


def _totals(outcomes: Sequence[Outcome]) -> list[tuple[str, list[Outcome]]]:
    distributed = [o for o in outcomes if SOURCES[o.case.source].distributed_language]
    return [("distributed LLM", distributed), ("all", list(outcomes))]


SUMMARY_COLUMNS = (
    "source",
    "cases",
    "predicted",
    "failed",
    "not run",
    "median",
    "p90",
    "bias",
    "inside",
    "half-width",
)


def _makers(outcomes: Sequence[Outcome]) -> str:
    counts = Counter(outcome.maker for outcome in outcomes if outcome.maker)
    if not counts:
        return ""
    return (
        " Runs were made with " + ", ".join(f"{m} ({n})" for m, n in sorted(counts.items())) + "."
    )


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 118)


def _sets(outcomes: Sequence[Outcome]) -> list[tuple[str, list[Outcome]]]:
    seen = [outcome for outcome in outcomes if outcome.case.seen]
    unseen = [outcome for outcome in outcomes if not outcome.case.seen]
    found = [("seen", seen), ("unseen", unseen)]
    return [(label, group) for label, group in found if group]


def _cells(found: Figures) -> tuple[str, ...]:
    counts = (str(found.predicted), str(found.failed), str(found.not_run))
    if not found.predicted:
        return (*counts, "-", "-", "-", "-", "-")
    return (
        *counts,
        f"{found.median:.1%}",
        f"{found.p90:.1%}",
        f"{found.bias:+.1%}",
        f"{found.inside:.0%}",
        f"{found.width:.0%}",
    )


def _summary(outcomes: Sequence[Outcome]) -> str:
    return _markdown(SUMMARY_COLUMNS, summary_rows(outcomes))


def _breakdown(outcomes: Sequence[Outcome]) -> list[str]:
    parts = ["## Distributed language models by what they have in common"]
    distributed = dict(_totals(outcomes))["distributed LLM"]
    for title, found in groups(distributed).items():
        rows = [(name, *_cells(figures(group))) for name, group in found.items()]
        parts.append(_markdown((title, *SUMMARY_COLUMNS[2:]), rows))
    return parts if distributed else []


def _coverage(outcomes: Sequence[Outcome]) -> list[str]:
    rows = [
        (row.source, f"{row.factor:.2f}", str(row.cases), f"{row.inside:.0%}")
        for row in leave_one_source_out(outcomes)
    ]
    if not rows:
        return []
    head = ("source left out", "width over the printed one", "cases", "inside")
    return ["## Intervals", _wrapped(_INTERVALS), _markdown(head, rows)]


def _table(outcomes: Sequence[Outcome]) -> str:
    head = ("case", "cluster", "measured ms", "predicted ms", "interval", "error", "bound", "set")
    return _markdown(head, [_row(outcome) for outcome in outcomes])


def _row(outcome: Outcome) -> tuple[str, ...]:
    case = outcome.case
    known = (case.name, case.cluster, f"{case.measured_ms:.1f}")
    label = ("seen" if case.seen else "unseen") + ", earlier" * (outcome.maker == EARLIER)
    if outcome.failure:
        return (*known, "failed", outcome.failure.replace("|", "/"), "-", "-", label)
    interval = f"{outcome.low_ms:.1f} to {outcome.high_ms:.1f}"
    error = f"{outcome.error:+.1%}"
    return (*known, f"{outcome.predicted_ms:.1f}", interval, error, outcome.bound, label)


def _markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
