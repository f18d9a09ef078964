"""Runs a workload under `maya emulate` and holds the outcome against what is expected of it."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from workload import Workload

from maya.trace import CallCounts, Capture, Run, collect, summarize
from maya.trace.format import Kind
from maya.trace.names import demangle
from maya.trace.summary import Table

SCRIPTS = Path(__file__).parent / "workloads"
CAPTURED_CHARS = 6000
MOST_BYTES_PER_CALL = 100
MANY_CALLS = 3000  # of a process


@dataclass(frozen=True)
class Outcome:
    """What a run left behind."""

    command: tuple[str, ...]
    status: int
    stdout: bytes
    stderr: str
    run: Run
    summary: CallCounts = field(repr=False)
    survivors: tuple[str, ...]

    def __str__(self) -> str:
        described = str(self.run.facts)
        return (
            f"command: {' '.join(self.command)}\nstatus: {self.status}\nrun: {described}\n"
            f"stdout: {self.stdout[-CAPTURED_CHARS:].decode(errors='replace')}\n"
            f"stderr: {self.stderr[-CAPTURED_CHARS:]}"
        )


def command_line(row: Workload, python: Path) -> list[str]:
    """The user's own command."""
    script, *arguments = row.command.split()
    launcher = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={row.ranks}"]
    return [str(python), *(launcher if row.ranks > 1 else []), str(SCRIPTS / script), *arguments]


def emulate(
    command: list[str], row: Workload, directory: Path, environment: Mapping[str, str]
) -> Outcome:
    """Run it as a person would, in a process of its own."""
    run_dir = directory / "run"
    options = ["--gpu", row.gpu, "--steps", str(row.steps), "--max-seconds", str(row.max_seconds)]
    options += ["--routing", row.routing]
    line = [sys.executable, "-m", "maya", "emulate", *options, "-o", str(run_dir), "--", *command]
    done = subprocess.run(
        line,
        cwd=directory,
        env={**os.environ, **environment, **dict(row.environment)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    stderr = done.stderr.decode(errors="replace")
    print(f"stderr of {' '.join(line)}:\n{stderr[-CAPTURED_CHARS:]}")
    run = collect(run_dir)
    return Outcome(
        command=tuple(line),
        status=done.returncode,
        stdout=done.stdout,
        stderr=stderr,
        run=run,
        summary=summarize(run.captures),
        survivors=tuple(_survivors(run_dir)),
    )


def problems(row: Workload, outcome: Outcome) -> Iterator[str]:
    """Each way in which the outcome is not what the row says."""
    yield from _ending_problems(row, outcome)
    yield from _record_problems(row, outcome)
    yield from _step_problems(row, outcome)
    for text in row.stdout:
        if text.encode() not in outcome.stdout:
            yield f"stdout does not have {text!r}"
    for text in row.stderr:
        if text not in outcome.stderr:
            yield f"stderr does not have {text!r}"


def _ending_problems(row: Workload, outcome: Outcome) -> Iterator[str]:
    facts = outcome.run.facts
    ended_by = facts.ended_by if facts else None
    exit_code = facts.exit_code if facts else None
    if outcome.status != row.status:
        yield f"maya returned {outcome.status}, not {row.status}"
    if ended_by != row.ended_by:
        yield f"ended by {ended_by}, not by {row.ended_by}"
    if row.ended_by == "script" and exit_code != row.exit_code:
        yield f"the script returned {exit_code}, not {row.exit_code}"
    if len(outcome.run.captures) != row.captures:
        names = [capture.path.name for capture in outcome.run.captures]
        yield f"captures {names}, expected {row.captures}"
    if outcome.summary.incomplete != row.incomplete:
        yield f"{outcome.summary.incomplete} captures were cut short, expected {row.incomplete}"
    if outcome.survivors:
        yield f"processes left behind: {outcome.survivors}"


def _record_problems(row: Workload, outcome: Outcome) -> Iterator[str]:
    summary = outcome.summary
    kernels = [demangle(name) for name in summary.kernels]
    yield from _missing("kernel", row.kernels, kernels)
    yield from _missing("library call", row.library, _told(summary.library))
    yield from _missing("collective", row.collectives, _told(summary.collectives))
    yield from _missing("allocation", row.allocations, _told(summary.allocations))
    yield from _missing(
        "value read", row.value_reads, _told(summary.value_choices | summary.value_reads)
    )
    yield from _missing("value policy", row.value_policies, _told(summary.value_policies))
    yield from _missing("norm", row.norms, _told(summary.norms))
    yield from _missing("NVTX range", row.ranges, _told(summary.ranges))
    if row.graph_launches and not summary.graph_launches:
        yield "no graph was launched"
    # What repeats is written once, so a few calls of many kinds take more each.
    many = summary.events > MANY_CALLS * row.captures
    if many and summary.bytes_per_call > MOST_BYTES_PER_CALL:
        yield f"{summary.bytes_per_call:.0f} bytes for each of {summary.events} calls"
    for name, count in summary.unsupported.items():
        if not any(re.search(pattern, name) for pattern in row.unsupported):
            yield f"unsupported: {name}, {count.calls} times, at {count.example or 'unknown'}"


def _step_problems(row: Workload, outcome: Outcome) -> Iterator[str]:
    if row.ended_by != "steps":
        return
    if outcome.summary.steps < row.steps:
        yield f"{outcome.summary.steps} steps were found, not {row.steps}"
    if row.once_per_step:
        for capture in outcome.run.captures:
            counts = _calls_per_step(capture, row.once_per_step)[-row.steps :]
            if not counts or set(counts) != {row.times_per_step}:
                yield f"{row.once_per_step} in each step of {capture.path.name}: {counts}"


def _calls_per_step(capture: Capture, pattern: str) -> list[int]:
    """How often a kernel was launched in each of the steady steps."""
    steps, kernels, period = [], [], 1
    for definition in capture.definitions():
        name = demangle(definition.text("kernel"))
        if definition.op == "step_boundary":
            steps.append(definition.id)
        elif definition.op == "steady":
            period = definition.number("period")
        elif definition.kind == Kind.KERNEL and re.search(pattern, name):
            kernels.append(definition.id)
    events = capture.events
    times = [events["start_ns"][np.isin(events["def"], ids)] for ids in (steps, kernels)]
    boundaries = np.sort(times[0])[::-period][::-1]
    return np.histogram(times[1], boundaries)[0].tolist() if len(boundaries) > 1 else []


def _missing(what: str, patterns: tuple[str, ...], names: list[str]) -> Iterator[str]:
    for pattern in patterns:
        if not any(re.search(pattern, name) for name in names):
            yield f"no {what} like {pattern!r} among {sorted(names)}"


def _told(table: Table) -> list[str]:
    return [" ".join([name, *sorted(count.problems)]) for name, count in table.items()]


def _survivors(run_dir: Path) -> Iterator[str]:
    """Processes of the run that outlived it; they still have its name in their environment."""
    mark = f"MAYA_RUN_DIR={run_dir}".encode()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (process / "environ").read_bytes().split(b"\0"):
                yield (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
