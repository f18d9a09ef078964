"""Kills a process of a command at a random moment, and looks at what remains.

    python -m benchmarks kills [--count 200] [--only spin run ranks search ray] [--seed 1]

Each kill is a line of --keep. After every one nothing may live, no shared memory, socket or
directory may be left after 5 s, the command and the next one must say clearly what happened, and a
search that is continued must come to the answer of one that nobody disturbed.
"""

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.emulated import SCRIPTS
from benchmarks.kill_traces import Traces
from benchmarks.killed_search import SearchCase

_RANK = re.compile(r"^\[rank\d+\]: ?")  # before each line of a rank's traceback
_FRAME = re.compile(r'\s*File "([^"]+)", line \d+')
NOBODY = "nobody"  # the command had ended by then
OTHERS_SHARE = 0.7
PATIENCE_S = 5.0  # for everything to be gone
COMMAND_S = 180.0  # for a command whose process was killed to come to its end
LATEST_S = {"spin": 6.0, "run": 20.0, "ranks": 25.0}  # of a kill, after the start


@dataclass(frozen=True, slots=True)
class Kill:
    """One kill and what was wrong afterwards; nothing, if all is well."""

    command: str
    victim: str
    after_s: float
    faults: tuple[str, ...]


def main(arguments: Sequence[str]) -> int:
    """Kill, print a line each and the sum; 1 when anything was left or unclear."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks kills", description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--only", nargs="+", choices=list(CASES), default=list(CASES)[:4])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="append every kill to this file")
    options = parser.parse_args(arguments)
    chance = random.Random(options.seed)
    kills: list[Kill] = []
    while len(kills) < options.count:
        for kill in CASES[chance.choice(options.only)](chance):
            if kill.victim == NOBODY and not kill.faults:
                continue
            kills.append(kill)
            _tell(kill, len(kills), options.keep)
    bad = [kill for kill in kills if kill.faults]
    victims = Counter(f"{kill.victim} of {kill.command}" for kill in kills)
    print(f"{len(kills)} kills, {len(bad)} with faults;", dict(victims.most_common()))
    return 1 if bad else 0


def _tell(kill: Kill, number: int, file: Path | None) -> None:
    faults = "; ".join(kill.faults) or "nothing left"
    print(
        f"{number}: {kill.victim} of {kill.command} after {kill.after_s:.1f} s: {faults}",
        flush=True,
    )
    if file:
        with file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(asdict(kill)) + "\n")


def kill_one(
    words: Sequence[str], traces: Traces, chance: random.Random, latest_s: float, name: str
) -> Kill:
    """Start a command, kill one of its processes, wait for the rest."""
    log = traces.directory / "said.txt"
    with log.open("ab") as said:
        process = subprocess.Popen(
            words, env=traces.environment, stdout=said, stderr=said, start_new_session=True
        )
    began = time.monotonic()
    time.sleep(chance.uniform(0.2, latest_s))
    roles = traces.by_role()
    victim = _choose(sorted(roles), chance)
    if roles:
        os.kill(chance.choice(roles[victim]), signal.SIGKILL)
    after_s = time.monotonic() - began
    faults = _await_end(process, killed=victim == "maya")
    faults += traces.left_behind(PATIENCE_S)
    faults += unclear(process.returncode, log, killed=victim == "maya")
    return Kill(name, victim, round(after_s, 2), tuple(faults))


def _choose(roles: list[str], chance: random.Random) -> str:
    """maya is there all the time, others only for a while: when they are, they come first."""
    others = [role for role in roles if role != "maya"]
    return chance.choice(others if others and chance.random() < OTHERS_SHARE else roles or [NOBODY])


def _await_end(process: "subprocess.Popen[bytes]", *, killed: bool) -> list[str]:
    try:
        process.wait(PATIENCE_S if killed else COMMAND_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return ["the command did not end"]
    return []


def unclear(code: int, log: Path, *, killed: bool) -> list[str]:
    """A traceback of our own is no answer, and neither is silence about a failure."""
    text = log.read_text("utf-8", errors="replace")
    if error := _raised_by_maya(text):
        return [f"a traceback of maya: {error[:120]}"]
    return (
        [f"exit code {code} without a word"] if code > 0 and not killed and not text.strip() else []
    )


def _raised_by_maya(text: str) -> str | None:
    """The error of a traceback whose innermost frame is ours.

    One of the program's own goes through our files, too: they start it, and wrap what it calls.
    """
    innermost = ""
    for line in text.splitlines():
        words = _RANK.sub("", line)
        if frame := _FRAME.match(words):
            innermost = frame[1]
        elif innermost and not words.startswith(" "):
            if "src/maya/" in innermost:
                return words
            innermost = ""
    return None


def _maya(*words: str) -> list[str]:
    return [sys.executable, "-m", "maya", *words]


def _kill_run(kind: str, chance: random.Random) -> list[Kill]:
    directory = Path(tempfile.mkdtemp(prefix="kills-"))
    traces, run = Traces(directory), str(directory / "run")
    limits = ("--max-seconds", "40", "-o", run, "--")
    commands = {
        "spin": _maya(
            "emulate", "--no-torch-check", *limits, sys.executable, f"{SCRIPTS}/spinning.py"
        ),
        "run": _maya("run", "--steps", "100000", *limits, sys.executable, f"{SCRIPTS}/endless.py"),
        "ranks": _maya(
            *("run", "--cluster", "h100:2", "--all-ranks", "--steps", "100000", *limits),
            *(sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"),
            f"{SCRIPTS}/endless.py",
        ),
    }
    kill = kill_one(commands[kind], traces, chance, LATEST_S[kind], kind)
    faults = (*kill.faults, *_next_command(_maya("inspect", run), traces))
    shutil.rmtree(directory, ignore_errors=True)
    return [Kill(kill.command, kill.victim, kill.after_s, faults)]


def _next_command(words: list[str], traces: Traces) -> list[str]:
    """It reads what is there, or says what is not."""
    try:
        done = subprocess.run(
            words,
            check=False,
            env=traces.environment,
            capture_output=True,
            text=True,
            timeout=COMMAND_S,
        )
    except subprocess.TimeoutExpired:
        return ["the next command did not end"]
    if done.returncode == 0 or (done.returncode == 1 and "error:" in done.stderr):
        return []
    return [f"the next command ended with {done.returncode}: {done.stderr.strip()[-120:]}"]


def _kill_search(backend: str, chance: random.Random) -> list[Kill]:
    """Two kills, then to the end."""
    with tempfile.TemporaryDirectory(prefix="kills-", ignore_cleanup_errors=True) as name:
        case = SearchCase(Path(name), backend)
        kills: list[Kill] = []
        for _ in range(2):
            traces = Traces(case.directory)
            known = case.results()
            kill = kill_one(case.words, traces, chance, case.usual_s, case.name)
            faults = (*kill.faults, *case.lost(known))
            kills.append(Kill(kill.command, kill.victim, kill.after_s, faults))
        last = kills.pop()
        return [
            *kills,
            Kill(last.command, last.victim, last.after_s, (*last.faults, *case.finish())),
        ]


CASES: dict[str, Callable[[random.Random], list[Kill]]] = {
    "spin": lambda chance: _kill_run("spin", chance),
    "run": lambda chance: _kill_run("run", chance),
    "ranks": lambda chance: _kill_run("ranks", chance),
    "search": lambda chance: _kill_search("local", chance),
    "ray": lambda chance: _kill_search("ray", chance),
}
