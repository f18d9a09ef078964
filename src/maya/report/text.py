"""The summary for people: the last lines of `maya run`."""

from collections.abc import Mapping, Sequence

from rich.markup import escape
from rich.text import Text

from maya.report.files_text import held_files_text, saving_text
from maya.report.memory_text import memory_rows
from maya.report.quantities import duration, step_price
from maya.summary import Summary
from maya.summary.figures import Cost, EveryRank, Load, PathShares, Period, Step, Throughput

Row = tuple[str, str]
_LABEL = 15
_SHOWN = 6
_LEAST_SHARE = 0.005  # less would be printed as 0%


def summary_lines(summary: Summary) -> list[str]:
    """One line for each answer, labels in a column, with markup of rich."""
    rows = [*_missing_rows(summary), *_time_rows(summary), *memory_rows(summary.memory)]
    rows += _cause_rows(summary)
    rows.append(("saving", saving_text(summary.saving)))
    rows.append(("cost", _cost(summary.cost)))
    rows.append(("files", held_files_text(summary.emulation.held_files)))
    rows.append(("durations", _sources(summary.provenance)))
    calls = [f"{call.name} ({call.count}x)" for call in summary.unsupported_calls]
    rows.append(("[yellow]not supported[/]", escape(_some(calls))))
    rows += [("[yellow]note[/]", escape(note)) for note in summary.notes]
    return [f"{_padded(label)}{text}" for label, text in rows if text]


def _padded(label: str) -> str:
    visible = Text.from_markup(label).plain
    return label + " " * max(1, _LABEL - len(visible))


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
        f"({step.count} steps simulated{steady})"
    )


def _period(period: Period | None) -> str:
    if period is None:
        return ""
    return (
        f"plain steps {duration(period.plain_ms)}; once in {period.steps} steps "
        f"{duration(period.extra_ms)} more; the step is their mean"
    )


def _unused_gpus(summary: Summary) -> str:
    """Nothing where the job uses all that it pays for."""
    if summary.gpus_used >= summary.gpus:
        return ""
    return (
        f"[yellow]{summary.gpus_used:,} of {summary.gpus:,} used[/]: all are paid for; name a "
        "smaller cluster, or start a rank for each GPU (torchrun --nproc-per-node)"
    )


def _utilisation(summary: Summary) -> str:
    flops = f"{summary.model_flops_per_step or 0.0:.3g} FLOP a step"
    return f"MFU {summary.mfu or 0.0:.1%}, HFU {summary.hfu or 0.0:.1%} ({flops})"


def _missing_rows(summary: Summary) -> list[Row]:
    """Before all else: figures of a start-up would be taken for those of a step."""
    if summary.memory.oom or summary.no_step is None:
        return []  # told in the rows about memory
    return [
        ("[bold red]no step[/]", escape(summary.no_step)),
        ("  that means", "nothing is known of step time, utilisation and dollars a step;"),
        ("", "memory is what was used so far, and may grow"),
        ("  what to do", "give it more time (--max-seconds) or record fewer steps (--steps 1);"),
        ("", "what torch.compile has built is kept, so a second run gets further; or let the"),
        ("", "script evaluate less and train sooner: it must come to its third step; without an"),
        ("", "optimiser: let it repeat more often, or name its step (--step-marker NAME)"),
    ]


def _under_load(found: Load | None) -> str:
    """Nothing where neither clocks nor other GPUs cost anything."""
    if found is None:
        return ""
    parts = []
    if found.clocks_cost > 0:
        parts.append(f"clocks at {found.clock:.0%} cost {found.clocks_cost:.1%}")
    if found.slowest_cost > 0:
        parts.append(f"the slowest of {found.ranks:,} GPUs {found.slowest_cost:.1%}")
        machines = f"p50 {duration(found.p50_ms)}, p95 {duration(found.p95_ms)}"
        parts.append(f"over machines {machines}")
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
    return ", ".join(parts) or "batch not seen: --tokens-per-step or --samples-per-step gives it"


def _cause_rows(summary: Summary) -> list[Row]:
    return [
        ("communication", _communication(summary)),
        ("bound by", _bound(summary)),
        ("critical path", _path(summary.critical_path)),
    ]


def _bound(summary: Summary) -> str:
    device, host = summary.device, summary.host
    if device is None or host is None:
        return ""
    return (
        f"device busy {duration(device.busy_ms)}, idle {duration(device.idle_ms)}; "
        f"host busy {duration(host.busy_ms)}: [bold]{host.bound}-bound[/]"
    )


def _communication(summary: Summary) -> str:
    moved, step = summary.communication, summary.step
    if moved is None or step is None or not moved.total_ms:
        return ""
    share = moved.exposed_ms / step.time_ms if step.time_ms else 0.0
    return (
        f"{duration(moved.total_ms)} a step with waiting for peers, "
        f"{duration(moved.exposed_ms)} exposed ({share:.0%} of the step)"
    )


def _path(path: PathShares | None) -> str:
    times = path.categories_ms if path else {}
    total = sum(times.values())
    shares = {name: time / total for name, time in times.items() if total}
    return _some([f"{s:.0%} {escape(name)}" for name, s in shares.items() if s >= _LEAST_SHARE])


def _cost(cost: Cost) -> str:
    if cost.usd_per_hour is None:
        return "no price known for this GPU"
    step = "" if cost.usd_per_step is None else f", {step_price(cost.usd_per_step)}"
    date = escape(str(cost.price_date))
    price = f"price of {date}" if date[:1].isdigit() else f"price {date}"
    return f"${cost.usd_per_hour:,.2f} an hour{step} ({price})"


def _sources(provenance: Mapping[str, float] | None) -> str:
    if provenance is None:
        return ""
    shares = [f"{share:.0%} {escape(name)}" for name, share in provenance.items() if share]
    return ", ".join(shares) or "none"


def _some(parts: Sequence[str]) -> str:
    more = len(parts) - _SHOWN
    return ", ".join(parts[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
