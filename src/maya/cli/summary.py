"""What `maya emulate` says at the end."""

import shlex
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.markup import escape

from maya.cli.inspect_tables import tables_json, total_lines
from maya.cli.render import byte_count, stderr
from maya.emulator import EmulationResult
from maya.report.files_text import held_files_text
from maya.rundir import RunDirectory, RunFacts
from maya.trace import CallCounts, Run, collect, summarize
from maya.trace.helpers import helpers_text
from maya.trace.summary import Count

_TOP = 5
_BAD_CALL = (-signal.SIGSYS, 128 + signal.SIGSYS)  # the program's own end, or as a shell tells it
_MADE_UP = (
    "hint: kernels are not executed, so what they would have made is made up; "
    "if the script failed because of one of the values above (a check that a loss is positive, "
    "a division), let it go on there"
)

_USES_NO_GPU = (
    "hint: many scripts use a GPU only when told to, with an option such as --device cuda"
)


def summary_json(result: EmulationResult) -> dict[str, Any]:
    """The same as data."""
    head: dict[str, Any] = {
        "run": str(result.run_dir),
        "ended_by": result.ended_by,
        "exit_code": result.exit_code,
        "wall_seconds": round(result.wall_seconds, 3),
    }
    return head | (tables_json(_summarize(result)[1]) if result.captures else {})


def print_ending(result: EmulationResult) -> None:
    """On stderr: stdout is the script's."""
    _say(f"[bold]maya:[/] {_ending(result)} after {result.wall_seconds:.1f} s")


def print_summary(result: EmulationResult) -> None:
    """How it ended and what was recorded."""
    print_ending(result)
    if result.exit_code and (hint := _hint(result)):
        _say(f"hint: {hint}")
    if not result.captures:
        _say_nothing_recorded(result)
        return
    run, summary = _summarize(result)
    if result.ended_by == "max-seconds":
        _say("no step was seen to repeat: --max-seconds gives the program more time")
    for line in total_lines(summary):
        _say(escape(line))
    if text := helpers_text(run.helpers):
        _say(escape(text))
    if run.facts:
        _say(_memory(summary, run.facts))
    if run.facts and run.facts.held_files and (text := held_files_text(run.facts.held_files)):
        _say(f"files: {text}")
    _say_top("unknown values that the program chose its path by", summary.value_choices)
    _say_top("other unknown values read from the device", summary.value_reads)
    _say_top("values given by the routing policy (--routing)", summary.value_policies)
    _say_top("values that follow from norms, which were taken to be 2", summary.norms)
    _say_top("masks that were taken to be half full", summary.masks)
    _say_top("[yellow]unsupported calls[/]", summary.unsupported)
    for text in dict.fromkeys(summary.info):
        _say(f"note: {escape(text)}")
    read = summary.value_reads or summary.value_choices
    if result.ended_by == "script" and result.exit_code and read:
        _say(_MADE_UP)
    _say(f"next: [bold]maya inspect {escape(_display(result.run_dir))}[/]")


def _say_nothing_recorded(result: EmulationResult) -> None:
    """A script that failed has said itself what it needs."""
    if result.ended_by == "cpu-only":
        _say(_USES_NO_GPU)
        _say(
            "If it trains on the GPU only later, record all of it: [bold]maya emulate --steps 0[/]"
        )
    elif result.ended_by == "max-seconds":
        _say("nothing was recorded: the program had not used the GPU by then")
        _say("hint: --max-seconds gives it more time")
    elif result.ended_by != "signal" and not (result.ended_by == "script" and result.exit_code):
        _say("nothing was recorded: the program did not use the GPU (or --no-record was given)")
        _say(_USES_NO_GPU)


def _hint(result: EmulationResult) -> str:
    """What the emulating machine was short of, or would not let a program do."""
    if result.starved:
        return "launch fewer ranks (--ranks), load less data on the host, or take a larger machine"
    facts = RunDirectory(result.run_dir).read_facts()
    if facts and facts.held_files and facts.held_files.disk_full:
        return (
            f"the disk of {escape(str(result.run_dir))} is full: what the program writes is held "
            "back there; -o names a directory on another disk"
        )
    if facts and facts.held_files and result.exit_code in _BAD_CALL:
        return (
            "a static program, for which nobody can stand in, wanted to change a file; "
            "--allow-writes lets it change yours"
        )
    return ""


def _summarize(result: EmulationResult) -> tuple[Run, CallCounts]:
    run = collect(result.run_dir)
    return run, summarize(run.captures)


def _ending(result: EmulationResult) -> str:
    return {
        "script": _own_ending(result),
        "steps": "enough steps recorded; the script was ended",
        "enough": "[yellow]cut off before a step was recorded[/]",
        "max-seconds": "[yellow]no steady step until --max-seconds; the script was ended[/]",
        "cpu-only": "[red]the script trains on the CPU[/]: its optimiser made 50 steps, and "
        "nothing ran on the GPU. It was ended",
        "signal": _interrupted(result),
        "failure": f"[red]the job cannot go on[/]: {escape(result.failure or '')}",
        "strict": "[red]stopped at an unsupported call (--strict)[/]",
    }[result.ended_by]


def _interrupted(result: EmulationResult) -> str:
    name = signal.Signals(result.signal).name if result.signal else "a signal"
    kept = "what was recorded until then is kept" if result.captures else "nothing was recorded"
    return f"[yellow]interrupted by {name}[/]; {kept};"


def _own_ending(result: EmulationResult) -> str:
    code, who = result.exit_code, "the script"
    if result.failed_rank is not None:
        who = f"rank {result.failed_rank}"
    if code == 0:
        return "the script ended by itself"
    if result.starved:
        return f"[red]{who} was ended by the kernel: this machine ran out of memory[/]"
    if code < 0:
        return f"[red]{who} was killed by {signal.Signals(-code).name}[/]"
    failed = f"[red]{who} failed with exit code {code}[/]"
    if result.killed_child:
        failed += (
            f"; process {escape(result.killed_child)}, which it started, was killed by SIGKILL"
        )
    return failed


def _memory(summary: CallCounts, about: RunFacts) -> str:
    usable = about.usable_memory_bytes
    return (
        f"device memory allocated at most {byte_count(summary.peak_bytes)} of "
        f"{byte_count(usable)} on {escape(about.gpu_name)} ({summary.peak_bytes / usable:.0%})"
    )


def _say_top(title: str, counts: Mapping[str, Count]) -> None:
    if not counts:
        return
    rows = sorted(counts.items(), key=lambda row: -row[1].calls)
    _say(f"{title}: {sum(count.calls for _, count in rows):,}")
    for name, count in rows[:_TOP]:
        site = f" from {count.example}" if count.example else ""
        _say(f"  {count.calls:>6,}x {escape((name or '?') + site)}")
    if len(rows) > _TOP:
        _say(f"  and {len(rows) - _TOP} more")


def _display(path: Path) -> str:
    shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    return shlex.quote(str(shown))


def _say(text: str) -> None:
    stderr.print(text, soft_wrap=True)
