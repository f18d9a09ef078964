"""The summary for people: the last lines of `maya run`."""

from collections.abc import Mapping, Sequence

from rich.markup import escape
from rich.text import Text

from maya.report.files_text import held_files_text, saving_text
from maya.report.memory_text import memory_rows
from maya.report.quantities import duration, step_price
from maya.summary import Summary
from maya.summary.figures import Cost, EveryRank, Load, PathShares, Period, Step, Throughput
from maya.units import counted

Row = tuple[str, str]
LABEL = 15  # columns
_SHOWN = 6
_FEW_LINES, _MANY_LINES = 3, 20
_WITHOUT_STEP = (
    "step time, utilisation and cost per step are not known. Memory is what was used so far, and "
    "may grow"
)
_FIND_A_STEP = (
    "let the script train for at least three steps, or ask for fewer (--steps 1). If it ran out of "
    "time, give it more (--max-seconds): what torch.compile has built is kept, so a second run "
    "gets further. A script without an optimiser must repeat its work more often, or mark its "
    "steps (--step-marker NAME)."
)
SOURCES = {  # of durations, in words; those of `maya.estimate.Source`
    "measured": "on this GPU",
    "learned": "by models fitted to measurements",
    "analytical": "from operations and bytes",
    "assumed": "nothing is known of it",
}
BOUND = {"device": "the GPU", "host": "the CPU"}
_LEAST_SHARE = 0.005  # less would be printed as 0%


def summary_lines(summary: Summary, *, verbose: bool = False) -> list[str]:
    """One line for each figure, labels in a column of `LABEL`, with markup of rich."""
    lines = _MANY_LINES if verbose else _FEW_LINES
    rows = [*_missing_rows(summary), *_time_rows(summary), *memory_rows(summary.memory, lines)]
    rows += _cause_rows(summary, verbose)
    rows.append(("saving", saving_text(summary.saving)))
    rows.append(("cost", _cost(summary.cost)))
    rows.append(("files", held_files_text(summary.emulation.held_files)))
    rows.append(("durations", _sources(summary.provenance)))
    calls = [f"{call.name} ({call.count}x)" for call in summary.unsupported_calls]
    rows.append(("[yellow]not supported[/]", escape(_some(calls, verbose))))
    rows += [("[yellow]note[/]", escape(note)) for note in summary.notes]
    rows += _recording_rows(summary) if verbose else []
    return [f"{_padded(label)}{text}" for label, text in rows if text]


def _padded(label: str) -> str:
    visible = Text.from_markup(label).plain
    return label + " " * max(1, LABEL - len(visible))


def _recording_rows(summary: Summary) -> list[Row]:
    made = summary.emulation
    everybody = made.launched_ranks + made.virtual_ranks
    took = "" if made.wall_s is None else f" in {made.wall_s:.1f} s"
    ranks = f"{made.launched_ranks:,} of {everybody:,} ranks launched"
    recorded = f"{made.calls:,} calls, {made.kernels:,} kernels{took}; {ranks}"
    asked = summary.options.unusual()
    return [("recorded", recorded), ("options", escape(asked)), ("maya", summary.maya_version)]


def _time_rows(summary: Summary) -> list[Row]:
    if summary.step is None:
        return []
    return [
        ("step", _step(summary.step, summary.cluster.name)),
        ("  of which", _period(summary.step.period)),
        ("[yellow]GPUs[/]", _unused_gpus(summary)),
        ("under load", _under_load(summary.load)),
        ("every rank", _every_rank(summary.every_rank)),
        ("throughput", _rates(summary.throughput)),
        ("utilisation", _utilisation(summary)),
    ]


def _step(step: Step, cluster: str) -> str:
    steady = "" if step.steady else ", [yellow]not known to be steady[/]"
    return (
        f"[bold]{duration(step.time_ms)}[/] on {escape(cluster)}, "
        f"{step.coverage:.0%} interval {duration(step.low_ms)} to {duration(step.high_ms)} "
        f"({counted(step.count, 'step')} simulated{steady})"
    )


def _period(period: Period | None) -> str:
    if period is None:
        return ""
    return (
        f"{duration(period.plain_ms)} for most steps, {duration(period.extra_ms)} more once in "
        f"{period.steps} steps; the step time above is their mean"
    )


def _unused_gpus(summary: Summary) -> str:
    """Nothing where the job uses all that it pays for."""
    if summary.gpus_used >= summary.gpus:
        return ""
    return (
        f"[yellow]{summary.gpus_used:,} of {summary.gpus:,} GPUs used[/], but all are paid for. "
        "Name a smaller cluster, or start a process for each GPU (torchrun --nproc-per-node)."
    )


def _utilisation(summary: Summary) -> str:
    flops = f"{summary.model_flops_per_step or 0.0:.3g} FLOP per step"
    return f"MFU {summary.mfu or 0.0:.1%}, HFU {summary.hfu or 0.0:.1%} ({flops})"


def _missing_rows(summary: Summary) -> list[Row]:
    """Below the reason: figures of a start-up would be taken for those of a step."""
    if summary.memory.oom or summary.no_step is None:
        return []  # told in the rows about memory
    return [
        ("that means", _WITHOUT_STEP),
        ("what to do", _FIND_A_STEP),
    ]


def _under_load(found: Load | None) -> str:
    """Nothing where neither clocks nor other GPUs cost anything."""
    if found is None:
        return ""
    parts = []
    if found.clocks_cost > 0:
        parts.append(
            f"power limits the clocks to {found.clock:.0%}, which costs {found.clocks_cost:.1%}"
        )
    if found.slowest_cost > 0:
        parts.append(
            f"waiting for the slowest of {found.ranks:,} GPUs costs {found.slowest_cost:.1%}"
        )
        machines = f"p50 {duration(found.p50_ms)}, p95 {duration(found.p95_ms)}"
        parts.append(f"from machine to machine {machines}")
    return "; ".join(parts)


def _every_rank(found: EveryRank | None) -> str:
    if found is None:
        return ""
    causes = [f"jitter {found.jitter:.1%}"] if found.jitter else []
    causes += [
        f"node {escape(node)} {factor:g}x slower" for node, factor in found.slow_nodes.items()
    ]
    return (
        f"median {duration(found.median_ms)}, p95 {duration(found.p95_ms)} "
        f"({found.slowdown:+.1%}; {', '.join(causes) or 'no variation'}; "
        f"{found.ranks:,} ranks, {found.samples} steps)"
    )


def _rates(rates: Throughput) -> str:
    parts = []
    if rates.tokens_per_s is not None:
        parts.append(f"{rates.tokens_per_s:,.0f} tokens/s")
    if rates.samples_per_s is not None:
        parts.append(f"{rates.samples_per_s:,.1f} {escape(rates.sample_unit)}/s")
    return (
        ", ".join(parts)
        or "batch size not seen; give it with --tokens-per-step or --samples-per-step"
    )


def _cause_rows(summary: Summary, verbose: bool) -> list[Row]:
    return [
        ("communication", _communication(summary)),
        ("bound by", _bound(summary)),
        ("critical path", _path(summary.critical_path, verbose)),
    ]


def _bound(summary: Summary) -> str:
    device, host = summary.device, summary.host
    if device is None or host is None:
        return ""
    return (
        f"[bold]{BOUND[host.bound]}[/]: GPU busy {duration(device.busy_ms)}, "
        f"idle {duration(device.idle_ms)}; CPU busy {duration(host.busy_ms)}"
    )


def _communication(summary: Summary) -> str:
    moved, step = summary.communication, summary.step
    if moved is None or step is None or not moved.total_ms:
        return ""
    share = moved.exposed_ms / step.time_ms if step.time_ms else 0.0
    return (
        f"{duration(moved.exposed_ms)} exposed ({share:.0%} of the step), of "
        f"{duration(moved.total_ms)} in all, waiting for other ranks included"
    )


def _path(path: PathShares | None, verbose: bool) -> str:
    times = path.categories_ms if path else {}
    total = sum(times.values())
    shares = {name: time / total for name, time in times.items() if total}
    told = [f"{s:.0%} {escape(name)}" for name, s in shares.items() if s >= _LEAST_SHARE]
    return _some(told, verbose)


def _cost(cost: Cost) -> str:
    if cost.usd_per_hour is None:
        return "no price known for this GPU"
    step = "" if cost.usd_per_step is None else f", {step_price(cost.usd_per_step)}"
    date = escape(str(cost.price_date))
    price = f"price of {date}" if date[:1].isdigit() else f"price {date}"
    return f"${cost.usd_per_hour:,.2f} per hour{step} ({price})"


def _sources(provenance: Mapping[str, float] | None) -> str:
    if provenance is None:
        return ""
    shares = [
        f"{_rounded(share)} {escape(name)} ({SOURCES.get(name, 'of another version')})"
        for name, share in provenance.items()
        if share
    ]
    return ", ".join(shares) or "none"


def _rounded(share: float) -> str:
    return f"{share:.0%}" if share >= _LEAST_SHARE else "under 1%"


def _some(parts: Sequence[str], verbose: bool) -> str:
    more = 0 if verbose else len(parts) - _SHOWN
    return ", ".join(parts if verbose else parts[:_SHOWN]) + (
        f" and {more} more" if more > 0 else ""
    )
