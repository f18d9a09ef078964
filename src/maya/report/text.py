"""The summary for people: the last lines of `maya run`."""

from collections.abc import Mapping
from typing import Any

from rich.markup import escape

from maya.units import GIB

Summary = Mapping[str, Any]


def summary_lines(summary: Summary) -> list[str]:
    """One line for each answer, with markup of rich."""
    lines = [_step(summary), _rates(summary), _memory(summary), _communication(summary)]
    lines += [_host(summary), _path(summary), _cost(summary), _sources(summary)]
    if summary["unsupported_calls"]:
        names = ", ".join(f"{c['name']} ({c['count']}x)" for c in summary["unsupported_calls"][:5])
        lines.append(f"[yellow]not supported[/]: {escape(names)}")
    return [line for line in lines if line]


def _step(summary: Summary) -> str:
    step = summary["step"]
    steady = "" if step["steady"] else ", [yellow]not known to be steady[/]"
    return (
        f"[bold]step {duration(step['time_ms'])}[/] "
        f"({duration(step['low_ms'])} to {duration(step['high_ms'])}, "
        f"{step['count']} step(s) simulated{steady}) on {escape(summary['cluster'])}"
    )


def _rates(summary: Summary) -> str:
    rates = summary["throughput"]
    parts = [f"MFU {summary['mfu']:.1%}", f"HFU {summary['hfu']:.1%}"]
    if rates["tokens_per_s"] is not None:
        parts.append(f"{rates['tokens_per_s']:,.0f} tokens/s")
    if rates["samples_per_s"] is not None:
        parts.append(f"{rates['samples_per_s']:,.1f} samples/s")
    return f"utilisation: {', '.join(parts)}, {summary['model_flops_per_step']:.3g} FLOP a step"


def _memory(summary: Summary) -> str:
    memory = summary["memory"]
    used, whole = memory["peak_reserved_bytes"], memory["capacity_bytes"]
    if memory["oom"]:
        missing = memory.get("missing_bytes") or 0
        lacking = f", {missing / GIB:.2f} GiB missing" if missing else ""
        return (
            f"[bold red]memory: does not fit[/]: {used / GIB:.2f} of {whole / GIB:.2f} GiB{lacking}"
        )
    room = memory["head_room_bytes"] / GIB
    return f"memory: peak {used / GIB:.2f} of {whole / GIB:.2f} GiB a GPU, {room:.2f} GiB head-room"


def _communication(summary: Summary) -> str:
    moved = summary["communication"]
    if not moved["total_ms"]:
        return ""
    share = moved["exposed_ms"] / summary["step"]["time_ms"]
    return (
        f"communication: {duration(moved['total_ms'])} a step, "
        f"{duration(moved['exposed_ms'])} exposed ({share:.0%} of the step)"
    )


def _host(summary: Summary) -> str:
    device, host = summary["device"], summary["host"]
    return (
        f"device busy {duration(device['busy_ms'])}, idle {duration(device['idle_ms'])}; "
        f"host busy {duration(host['busy_ms'])}: [bold]{host['bound']}-bound[/]"
    )


def _path(summary: Summary) -> str:
    times = summary["critical_path"]["categories_ms"]
    total = sum(times.values())
    shares = [f"{time / total:.0%} {escape(name)}" for name, time in times.items() if total]
    return f"critical path: {', '.join(shares[:6])}" if shares else ""


def _cost(summary: Summary) -> str:
    cost = summary["cost"]
    if cost["usd_per_hour"] is None:
        return "cost: no price known for this GPU"
    return (
        f"cost: ${cost['usd_per_hour']:,.2f} an hour, ${cost['usd_per_step']:.3g} a step "
        f"(price: {cost['price_date']})"
    )


def _sources(summary: Summary) -> str:
    shares = [f"{share:.0%} {name}" for name, share in summary["provenance"].items() if share]
    return f"durations: {', '.join(shares) or 'none'}"


def duration(milliseconds: float) -> str:
    """A time in the unit that reads best."""
    if milliseconds >= 1000:
        return f"{milliseconds / 1000:.2f} s"
    if milliseconds >= 1:
        return f"{milliseconds:.2f} ms"
    return f"{milliseconds * 1000:.1f} us"
