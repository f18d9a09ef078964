"""One run on several clusters, a line each."""

from collections.abc import Sequence

from maya.report.quantities import duration, size
from maya.summary import Summary
from maya.summary.figures import Step, Throughput
from maya.summary.memory import MemoryFigures

_HEAD = ("cluster", "step", "interval", "throughput", "MFU", "memory", "$/hour", "$/step")
_GAP = "  "


def comparison_lines(summaries: Sequence[Summary]) -> list[str]:
    """The figures by which clusters are chosen, in columns that no terminal cuts off."""
    rows = [_HEAD, *((summary.cluster.name, *_cells(summary)) for summary in summaries)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        _GAP.join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows
    ]


def _cells(summary: Summary) -> list[str]:
    step, cost = summary.step, summary.cost
    return [
        duration(step.time_ms) if step else "-",
        _interval(step) if step else "-",
        _rate(summary.throughput),
        "-" if summary.mfu is None else f"{summary.mfu:.1%}",
        _fits(summary.memory),
        "-" if cost.usd_per_hour is None else f"{cost.usd_per_hour:,.2f}",
        "-" if cost.usd_per_step is None else f"{cost.usd_per_step:.3g}",
    ]


def _rate(rates: Throughput) -> str:
    if rates.tokens_per_s is not None:
        return f"{rates.tokens_per_s:,.0f} tokens/s"
    return "-" if rates.samples_per_s is None else f"{rates.samples_per_s:,.1f} samples/s"


def _interval(step: Step) -> str:
    low, high = (
        edge / step.time_ms - 1 if step.time_ms else 0.0 for edge in (step.low_ms, step.high_ms)
    )
    return f"{low:+.0%} {high:+.0%}"


def _fits(memory: MemoryFigures) -> str:
    if memory.oom:
        return f"{size(memory.missing_bytes)} missing"
    return f"fits, {size(max(0, memory.head_room_bytes))} left"
