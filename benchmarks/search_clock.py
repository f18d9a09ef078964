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
REPEATS = 3


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
    """A trial forked from a warm process, as a share of one that starts from nothing."""
    activate()
    seconds: dict[bool, list[float]] = {False: [], True: []}
    directory = Path(tempfile.mkdtemp())
    try:
        for warm in (False, True):
            for repeat in range(REPEATS + warm):  # the first warm one imports for the others
                output = directory / f"{warm}{repeat}"
                options = Options(output=output, storage="sqlite://", warm=warm)
                state = prepare(FILE, options, dict(CHANGES))
                outcome = run_trial(job_of(state, repeat, state.space.points[0]))
                if outcome.status != "ok":
                    raise RuntimeError(outcome.message)
                seconds[warm].append(outcome.seconds)
    finally:
        close()
        shutil.rmtree(directory, ignore_errors=True)
    cold, warm_one = statistics.median(seconds[False]), statistics.median(seconds[True][1:])
    detail = f"{cold:.1f} s cold, {warm_one:.1f} s warm, {cold / warm_one:.1f} times faster"
    return Result("search: warm trial / cold trial", warm_one / cold, 1 / 3, "", detail)
