"""The summary for people: the last lines of `maya run`."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.markup import escape
from rich.text import Text

from maya.report.memory_text import memory_rows
from maya.report.quantities import duration

Summary = Mapping[str, Any]
Row = tuple[str, str]
_LABEL = 15
_SHOWN = 6
_LEAST_SHARE = 0.005  # less would be printed as 0%


def summary_lines(summary: Summary) -> list[str]:
    """One line for each answer, labels in a column, with markup of rich."""
    rows = _missing_rows(summary) if summary["step"] is None else _time_rows(summary)
    rows += memory_rows(summary["memory"])
    if summary["step"] is not None:
        rows += _cause_rows(summary)
    rows.append(("cost", _cost(summary)))
    if summary["provenance"]:
        rows.append(("durations", _sources(summary["provenance"])))
    if summary["unsupported_calls"]:
        names = [f"{call['name']} ({call['count']}x)" for call in summary["unsupported_calls"]]
        rows.append(("[yellow]not supported[/]", escape(_some(names))))
    rows += [("[yellow]note[/]", escape(note)) for note in summary.get("notes") or ()]
    return [f"{_padded(label)}{text}" for label, text in rows if text]


def _padded(label: str) -> str:
    visible = Text.from_markup(label).plain
    return label + " " * max(1, _LABEL - len(visible))


def _time_rows(summary: Summary) -> list[Row]:
    step = summary["step"]
    steady = "" if step["steady"] else ", [yellow]not known to be steady[/]"
    time = (
        f"[bold]{duration(step['time_ms'])}[/] on {escape(summary['cluster'])}, "
        f"{_coverage(step)}interval {duration(step['low_ms'])} to {duration(step['high_ms'])} "
        f"({step['count']} steps simulated{steady})"
    )
    flops = f"{summary['model_flops_per_step']:.3g} FLOP a step"
    return [
        ("step", time),
        ("every rank", _every_rank(summary.get("every_rank"))),
        ("throughput", _rates(summary["throughput"])),
        ("utilisation", f"MFU {summary['mfu']:.1%}, HFU {summary['hfu']:.1%} ({flops})"),
    ]


def _missing_rows(summary: Summary) -> list[Row]:
    """Before all else: figures of a start-up would be taken for those of a step."""
    if summary["memory"]["oom"] or not summary.get("no_step"):
        return []  # told in the rows about memory
    return [
        ("[bold red]no step[/]", escape(summary["no_step"])),
        ("  that means", "nothing is known of step time, utilisation and dollars a step;"),
        ("", "memory is what was used so far, and may grow"),
        ("  what to do", "give it more time (--max-seconds) or record fewer steps (--steps 1);"),
        ("", "what torch.compile has built is kept, so a second run gets further; or let the"),
        ("", "script evaluate less and train sooner: it must come to its third step"),
    ]


def _coverage(step: Mapping[str, Any]) -> str:
    coverage = step.get("coverage")  # summaries of older versions have none
    return f"{coverage:.0%} " if coverage else ""


def _every_rank(found: Mapping[str, Any] | None) -> str:
    if not found:
        return ""
    causes = [f"jitter {found['jitter']:.1%}"] if found["jitter"] else []
    causes += [f"node {node} {factor:g}x slower" for node, factor in found["slow_nodes"].items()]
    return (
        f"median {duration(found['median_ms'])}, p95 {duration(found['p95_ms'])} "
        f"({found['slowdown']:+.1%}; {', '.join(causes) or 'no variation'}; "
        f"{found['ranks']:,} ranks, {found['samples']} steps)"
    )


def _rates(rates: Mapping[str, Any]) -> str:
    parts = []
    if rates["tokens_per_s"] is not None:
        parts.append(f"{rates['tokens_per_s']:,.0f} tokens/s")
    if rates["samples_per_s"] is not None:
        parts.append(f"{rates['samples_per_s']:,.1f} samples/s")
    return ", ".join(parts) or "batch not seen: --tokens-per-step or --samples-per-step gives it"


def _cause_rows(summary: Summary) -> list[Row]:
    device, host = summary["device"], summary["host"]
    busy = (
        f"device busy {duration(device['busy_ms'])}, idle {duration(device['idle_ms'])}; "
        f"host busy {duration(host['busy_ms'])}: [bold]{host['bound']}-bound[/]"
    )
    return [
        ("communication", _communication(summary)),
        ("bound by", busy),
        ("critical path", _path(summary)),
    ]


def _communication(summary: Summary) -> str:
    moved = summary["communication"]
    if not moved["total_ms"]:
        return ""
    share = moved["exposed_ms"] / summary["step"]["time_ms"]
    return (
        f"{duration(moved['total_ms'])} a step with waiting for peers, "
        f"{duration(moved['exposed_ms'])} exposed ({share:.0%} of the step)"
    )


def _path(summary: Summary) -> str:
    times = summary["critical_path"]["categories_ms"]
    total = sum(times.values())
    shares = {name: time / total for name, time in times.items() if total}
    return _some([f"{s:.0%} {escape(name)}" for name, s in shares.items() if s >= _LEAST_SHARE])


def _cost(summary: Summary) -> str:
    cost = summary["cost"]
    if cost["usd_per_hour"] is None:
        return "no price known for this GPU"
    step = "" if cost["usd_per_step"] is None else f", ${cost['usd_per_step']:.3g} a step"
    date = str(cost["price_date"])
    price = f"price of {date}" if date[:1].isdigit() else f"price {date}"
    return f"${cost['usd_per_hour']:,.2f} an hour{step} ({price})"


def _sources(provenance: Mapping[str, float]) -> str:
    shares = [f"{share:.0%} {name}" for name, share in provenance.items() if share]
    return ", ".join(shares) or "none"


def _some(parts: Sequence[str]) -> str:
    more = len(parts) - _SHOWN
    return ", ".join(parts[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
