"""How long a trial takes, and what forking from a warm process saves."""

import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.result import Result
from maya.search import search
from maya.search.engine import Options, job_of, prepare
from maya.search.trial import run_trial
from maya.search.warmth import close

FILE = Path(__file__).parents[1] / "examples/search/ddp.yaml"  # GPT-2's size on 64 GPUs
CHANGES = {"clusters": ["h100:8x8"], "known_good": [], "sampler": "random"}
TRIALS = 12
RECIPES = 5


def activate() -> None:
    """The launcher beside this interpreter is meant, active or not."""
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])


def search_trials() -> Result:
    """Seconds a trial of a GPT-2-size model on 64 GPUs, start-up of the search included."""
    activate()
    with tempfile.TemporaryDirectory() as directory:
        started = time.monotonic()
        state = search(FILE, options=Options(output=Path(directory)), trials=TRIALS, **CHANGES)
        seconds = (time.monotonic() - started) / len(state.done())
        good = state.counts()["ok"]
    detail = f"{60 / seconds:.1f} trials a minute; {good} of {TRIALS} fit"
    return Result("search: a trial on 64 GPUs", seconds, 7.5, "s", detail)


def search_warm_start() -> Result:
    """A trial forked from a warm process, as a share of one that starts from nothing.

    Over recipes from all of the space: what a trial does itself, four steps of 1 to 16
    micro-batches, takes the same time either way.
    """
    activate()
    directory = Path(tempfile.mkdtemp())
    try:
        cold = _seconds(directory / "cold", warm=False)
        _seconds(directory / "first", warm=True)  # imports for the others
        warm = _seconds(directory / "warm", warm=True)
    finally:
        close()
        shutil.rmtree(directory, ignore_errors=True)
    ratios = [a / b for a, b in zip(cold, warm, strict=True)]
    detail = (
        f"{statistics.mean(cold):.1f} s cold, {statistics.mean(warm):.1f} s warm, "
        f"{sum(cold) / sum(warm):.1f} times faster ({min(ratios):.1f} to {max(ratios):.1f})"
    )
    return Result("search: warm trial / cold trial", sum(warm) / sum(cold), 1 / 3, "", detail)


def _seconds(output: Path, warm: bool) -> list[float]:
    """Of trials spread evenly over the space."""
    options = Options(output=output, storage="sqlite://", warm=warm)
    state = prepare(FILE, options, dict(CHANGES))
    points = state.space.points
    seconds = []
    for number, point in enumerate(points[:: len(points) // RECIPES]):
        outcome = run_trial(job_of(state, number, point))
        if outcome.status != "ok":
            raise RuntimeError(outcome.message)
        seconds.append(outcome.seconds)
    return seconds
