"""How long a trial takes, and what forking from a warm process saves."""

import os
import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.result import Result
from maya.recipe_search import search
from maya.recipe_search.engine import FileChanges, SearchOptions, job_of, prepare
from maya.recipe_search.space.file import SearchFile, read_search_file
from maya.recipe_search.trials.trial import run_trial
from maya.recipe_search.trials.warmth import close, server_pid

FILE = Path(__file__).parents[1] / "examples/search/ddp.yaml"  # GPT-2's size on 64 GPUs
TRIALS = 12
RECIPES = 5
_OWN = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)


def activate() -> None:
    """The launcher beside this interpreter is meant, active or not."""
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])


def _asked() -> SearchFile:
    """The example on one cluster, with recipes from all of its space."""
    file, base = read_search_file(FILE)
    own = {"clusters": ["h100:8x8"], "known_good": [], "sampler": "random"}
    return file.model_copy(update=own | {"directory": str(base / file.directory)})


def search_trials() -> Result:
    """Seconds a trial of a GPT-2-size model on 64 GPUs, start-up of the search included."""
    activate()
    with tempfile.TemporaryDirectory() as directory:
        started = time.monotonic()
        state = search(
            _asked(),
            options=SearchOptions(output=Path(directory)),
            changes=FileChanges(trials=TRIALS),
        )
        seconds = (time.monotonic() - started) / len(state.done())
        good = state.counts()["ok"]
    detail = f"{60 / seconds:.1f} trials a minute; {good} of {TRIALS} fit"
    return Result("search: a trial on 64 GPUs", seconds, 7.5, "s", detail)


def search_warm_start() -> Result:
    """A trial forked from a warm process, as a share of one that starts from nothing.

    Over recipes from all of the space: what a trial does itself, four steps of 1 to 16
    micro-batches, takes the same time either way. Each recipe is tried both ways in turn, so that
    whatever else the machine does weighs on both alike.
    """
    activate()
    directory = Path(tempfile.mkdtemp())
    try:
        for number in range(RECIPES):
            _trial(directory / "first", number, warm=True)  # imports for the others
        pairs = [
            (_trial(directory / "cold", n, warm=False), _trial(directory / "warm", n, warm=True))
            for n in range(RECIPES)
        ]
    finally:
        close()
        shutil.rmtree(directory, ignore_errors=True)
    cold, warm = (np.array(side).mean(axis=0) for side in zip(*pairs, strict=True))
    detail = (
        f"{cold[0]:.1f} s cold, {warm[0]:.1f} s warm, {cold[0] / warm[0]:.1f} times faster; "
        f"CPU time {cold[1]:.1f} s and {warm[1]:.1f} s, {cold[1] / warm[1]:.1f} times less"
    )
    return Result("search: warm trial / cold trial", warm[0] / cold[0], 1 / 3, "", detail)


def _trial(output: Path, number: int, warm: bool) -> tuple[float, float]:
    """Wall-clock and CPU time of one of the recipes, which are spread evenly over the space."""
    options = SearchOptions(output=output, storage="sqlite://", warm=warm)
    state = prepare(_asked(), options)
    points = state.space.points
    job = job_of(state, number, points[number * (len(points) // RECIPES)])
    before_s = _cpu_s()
    outcome = run_trial(job)
    if outcome.status != "ok":
        raise RuntimeError(outcome.message)
    return outcome.seconds, _cpu_s() - before_s


def _cpu_s() -> float:
    """Of this process, those it has waited for, and the warm server with those it has.

    The server is a child of the guard that ends it.
    """
    used = sum(sum(resource.getrusage(who)[:2]) for who in _OWN)
    guard = server_pid()
    if guard is None:
        return used
    servers = Path(f"/proc/{guard}/task/{guard}/children").read_text("ascii").split()
    ticks = sum(map(_ticks_of, [str(guard), *servers]))
    return used + ticks / os.sysconf("SC_CLK_TCK")


def _ticks_of(pid: str) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return sum(map(int, fields[11:15]))
