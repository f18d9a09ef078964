"""One run on several clusters, a line each."""

from collections.abc import Sequence

from maya.report.quantities import duration
from maya.summary import Summary
from maya.summary.figures import Step
from maya.summary.memory import MemoryFigures
from maya.units import GIB

_GAP = "  "
_WIDEST = 80  # a terminal that nobody made wider
_SPARE = ("MFU", "$/hour")  # left out first where the table would be wider
_UNKNOWN = "-"


def comparison_lines(summaries: Sequence[Summary]) -> list[str]:
    """The figures by which clusters are chosen, then what a reader might miss. A figure that is
    known of no cluster has no column."""
    cells = [_cells(summary) for summary in summaries]
    columns = {name: [name, *(row[name] for row in cells)] for name in (cells[0] if cells else ())}
    columns = {name: own for name, own in columns.items() if set(own[1:]) != {_UNKNOWN}}
    for name in _SPARE:
        if _width(columns) > _WIDEST:
            columns.pop(name, None)
    return [*_lines(list(columns.values())), *_remarks(summaries)]


def _cells(summary: Summary) -> dict[str, str]:
    step, cost, rates = summary.step, summary.cost, summary.throughput
    return {
        "cluster": summary.cluster.name,
        "GPUs used": f"{summary.gpus_used:,} of {summary.gpus:,}",
        "step": duration(step.time_ms) if step else _UNKNOWN,
        "interval": _interval(step) if step else _UNKNOWN,
        "tokens/s": _known(rates.tokens_per_s, ",.0f"),
        "samples/s": _UNKNOWN if rates.tokens_per_s else _known(rates.samples_per_s, ",.1f"),
        "MFU": _known(summary.mfu, ".1%"),
        "GiB free": _free(summary.memory),
        "$/hour": _known(cost.usd_per_hour, ",.2f"),
        "$/step": _known(cost.usd_per_step, ".2g"),
    }


def _lines(columns: Sequence[Sequence[str]]) -> list[str]:
    padded = [
        [
            cell.rjust(max(map(len, column))) if at else cell.ljust(max(map(len, column)))
            for cell in column
        ]
        for at, column in enumerate(columns)
    ]
    return [_GAP.join(row) for row in zip(*padded, strict=True)]


def _width(columns: dict[str, list[str]]) -> int:
    return sum(max(map(len, own)) for own in columns.values()) + len(_GAP) * (len(columns) - 1)


def _remarks(summaries: Sequence[Summary]) -> list[str]:
    found = []
    if any(summary.gpus_used < summary.gpus for summary in summaries):
        found.append("Prices are those of all GPUs, the unused ones too.")
    if any(summary.memory.oom for summary in summaries):
        found.append("GiB free below 0: it does not fit, so much is missing at least.")
    return found


def _known(figure: float | None, pattern: str) -> str:
    return _UNKNOWN if figure is None else format(figure, pattern)


def _interval(step: Step) -> str:
    low, high = (
        edge / step.time_ms - 1 if step.time_ms else 0.0 for edge in (step.low_ms, step.high_ms)
    )
    return f"{low:+.0%} {high:+.0%}"


def _free(memory: MemoryFigures) -> str:
    free = -memory.missing_bytes if memory.oom else max(0, memory.head_room_bytes)
    return f"{free / GIB:,.1f}"
