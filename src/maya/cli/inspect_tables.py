"""The tables of `maya inspect`."""

from collections.abc import Mapping
from typing import Any

from rich.markup import escape
from rich.table import Table

from maya.cli.render import byte_count, stdout
from maya.trace.names import demangle, short_name
from maya.trace.summary import CallCounts, Count, total

Counts = Mapping[str, Count]


def print_tables(summary: CallCounts, *, top: int, by_name: bool) -> None:
    """Everything, for people."""
    named = _by_short_name(summary.kernels)
    sections: list[tuple[str, Counts, str]] = [
        ("Kernels", named, "launch"),
        ("Library calls", summary.library, "problem"),
        ("Collectives", summary.collectives, "problem"),
        ("Copies", summary.copies, ""),
        ("Allocations", summary.allocations, ""),
        ("Synchronisations", summary.syncs, ""),
        ("NVTX ranges", summary.ranges, ""),
        ("Unknown values that the program chose its path by", summary.value_choices, "given"),
        ("Other unknown values read", summary.value_reads, "given"),
        ("Unsupported calls", summary.unsupported, "called from"),
    ]
    for title, counts, example in sections:
        if counts:
            _print_table(title, counts, example, top, by_name)
    for text in dict.fromkeys(summary.info):
        stdout.print(f"note: {escape(text)}")
    for line in total_lines(summary):
        stdout.print(line, highlight=False)


def total_lines(summary: CallCounts) -> list[str]:
    """The totals, one line each."""
    moved = sum(count.bytes for count in summary.copies.values())
    steady = ", steady" if summary.steady else ""
    lines = [
        f"{summary.events:,} calls in {summary.captures} capture(s): "
        f"{total(summary.kernels):,} kernels ({len(summary.kernels):,} unique), "
        f"{total(summary.library):,} library calls, {total(summary.collectives):,} collectives, "
        f"{total(summary.copies):,} copies ({byte_count(moved)}), "
        f"{summary.memsets.calls:,} memsets",
        f"{summary.threads} host thread(s), {summary.streams} stream(s), "
        f"{summary.graph_launches:,} graph launches, {summary.steps} step(s) found{steady}, "
        f"peak device memory {byte_count(summary.peak_bytes)}",
        f"{byte_count(summary.capture_bytes)} on disk, {summary.bytes_per_call:.1f} bytes a call",
    ]
    if summary.incomplete:
        lines.append(f"{summary.incomplete} capture(s) cut short: read up to the cut")
    return lines


def tables_json(summary: CallCounts) -> dict[str, Any]:
    """Everything, for machines."""
    return {
        "calls": summary.events,
        "captures": summary.captures,
        "incomplete_captures": summary.incomplete,
        "capture_bytes": summary.capture_bytes,
        "bytes_per_call": round(summary.bytes_per_call, 2),
        "threads": summary.threads,
        "streams": summary.streams,
        "steps": summary.steps,
        "steady": summary.steady,
        "graph_launches": summary.graph_launches,
        "peak_device_bytes": summary.peak_bytes,
        "kernel_calls": total(summary.kernels),
        "library_calls": total(summary.library),
        "collective_calls": total(summary.collectives),
        "copy_calls": total(summary.copies),
        "kernels": _json(summary.kernels, names=True),
        "library": _json(summary.library),
        "collectives": _json(summary.collectives),
        "copies": _json(summary.copies),
        "memsets": {"calls": summary.memsets.calls, "bytes": summary.memsets.bytes},
        "allocations": _json(summary.allocations),
        "syncs": _json(summary.syncs),
        "ranges": _json(summary.ranges),
        "value_choices": _json(summary.value_choices),
        "value_reads": _json(summary.value_reads),
        "unsupported": _json(summary.unsupported),
        "info": summary.info,
    }


def _by_short_name(kernels: Counts) -> dict[str, Count]:
    """Instances of one template, together."""
    named: dict[str, Count] = {}
    for mangled, count in kernels.items():
        into = named.setdefault(short_name(mangled), Count())
        into.calls += count.calls
        into.problems |= {f"{mangled} {problem}" for problem in count.problems}
        into.example = into.example or count.example
    return named


def _print_table(title: str, counts: Counts, example: str, top: int, by_name: bool) -> None:
    with_bytes = any(count.bytes for count in counts.values())
    table = Table(title=title, title_justify="left")
    table.add_column("name", overflow="fold", ratio=1)
    table.add_column("calls", justify="right")
    if with_bytes:
        table.add_column("bytes", justify="right")
    if example:
        table.add_column("unique", justify="right")
        table.add_column(f"{example} (example)", overflow="fold", ratio=1)
    rows = sorted(counts.items(), key=lambda row: row[0] if by_name else (-row[1].calls, row[0]))
    for name, count in rows[:top]:
        cells = [escape(name) or "?", f"{count.calls:,}"]
        cells += [byte_count(count.bytes)] if with_bytes else []
        cells += [f"{len(count.problems):,}", escape(count.example)] if example else []
        table.add_row(*cells)
    if len(rows) > top:
        table.caption = f"and {len(rows) - top} more (--top)"
    stdout.print(table)


def _json(counts: Counts, *, names: bool = False) -> list[dict[str, Any]]:
    rows = sorted(counts.items(), key=lambda row: (-row[1].calls, row[0]))
    return [
        {"name": name}
        | ({"demangled": demangle(name), "short": short_name(name)} if names else {})
        | {
            "calls": count.calls,
            "bytes": count.bytes,
            "unique": len(count.problems),
            "problems": sorted(count.problems)[:100],
        }
        for name, count in rows
    ]
