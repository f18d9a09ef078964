"""The documented long run: every reader in turns, until the time is over.

    python -m fuzz.campaign --minutes 60 [--targets names capture] [--round 60] [--keep FILE]

The next turn is always that of the reader which has had the least CPU time, so that none is left
out on a machine that is busy with other work. Every turn is a line of FILE; at the end a table of
executions and findings, over all lines that FILE holds. Exit code 1 if there was a finding.
"""

import argparse
import json
import re
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

_CORPUS = Path(__file__).parent / "corpus"
_EXECUTIONS = re.compile(r"^(?:#|Done )(\d+)\b", re.MULTILINE)
_FINDING_LINES = 60
_STARVED_S = (
    60  # libFuzzer measures by the clock, and a busy machine may not run a process for long
)


@dataclass(frozen=True, slots=True)
class Turn:
    """One reader fuzzed for a while."""

    target: str
    executions: int
    cpu_s: float
    finding: str


def main(arguments: Sequence[str]) -> int:
    """Turns until the time is over, then the table."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.campaign", description=__doc__)
    known = sorted(path.name for path in _CORPUS.iterdir())
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--targets", nargs="+", choices=known, default=known)
    parser.add_argument("--round", type=int, default=60, help="seconds of a turn")
    parser.add_argument("--keep", type=Path, default=Path("build/fuzz/turns.jsonl"))
    options = parser.parse_args(arguments)
    deadline = time.monotonic() + 60 * options.minutes
    turns = _kept(options.keep)
    while time.monotonic() < deadline:
        turns.append(_take_turn(next_target(options.targets, turns), options.round))
        _keep(turns[-1], options.keep)
    print(table(turns))
    return 1 if any(turn.finding for turn in turns) else 0


def next_target(targets: Sequence[str], turns: Sequence[Turn]) -> str:
    """The reader that has had the least CPU time."""
    used = dict.fromkeys(targets, 0.0)
    for turn in turns:
        if turn.target in used:
            used[turn.target] += turn.cpu_s
    return min(used, key=lambda target: used[target])


def _take_turn(target: str, seconds: int) -> Turn:
    limits = [f"-max_total_time={seconds}", f"-timeout={_STARVED_S}"]
    words = [sys.executable, "-m", "fuzz", target, *limits]
    before = _cpu_s()
    done = subprocess.run(words, check=False, capture_output=True, text=True, errors="replace")
    told = done.stdout + done.stderr
    finding = "\n".join(told.splitlines()[-_FINDING_LINES:]) if done.returncode else ""
    if finding:
        print(f"{target}: exit code {done.returncode}\n{finding}", flush=True)
    return Turn(target, executions_told(told), round(_cpu_s() - before, 2), finding)


def executions_told(text: str) -> int:
    """libFuzzer tells its executions in every line, and their sum in the last."""
    return max((int(number) for number in _EXECUTIONS.findall(text)), default=0)


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _kept(file: Path) -> list[Turn]:
    if not file.exists():
        return []
    return [Turn(**json.loads(line)) for line in file.read_text("utf-8").splitlines()]


def _keep(turn: Turn, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(asdict(turn)) + "\n")


def table(turns: Sequence[Turn]) -> str:
    """For docs/reliability.md."""
    lines = ["| reader | executions | CPU time | findings |", "|---|---|---|---|"]
    targets = sorted({turn.target for turn in turns})
    lines += [
        _row(f"`{name}`", [turn for turn in turns if turn.target == name]) for name in targets
    ]
    return "\n".join([*lines, _row("all", turns)])


def _row(name: str, turns: Sequence[Turn]) -> str:
    executions = sum(turn.executions for turn in turns)
    cpu_s = sum(turn.cpu_s for turn in turns)
    findings = sum(1 for turn in turns if turn.finding)
    return f"| {name} | {executions:,} | {cpu_s:.0f} s | {findings} |"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
