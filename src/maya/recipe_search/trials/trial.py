"""One trial: emulate, see that it fits, simulate; each only if nobody has done it before."""

import math
import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from itertools import count
from pathlib import Path

from maya.analyze import script_ran_out_of_memory
from maya.emulator import EmulationOptions, EmulationResult
from maya.emulator.rank_server import FORK
from maya.emulator.warm import SERVER_LOST
from maya.errors import ExitCode, MayaError
from maya.estimate import default_chain
from maya.estimate.chain import Chain
from maya.hardware import Cluster, find_cluster
from maya.page import run_page, write_page
from maya.prediction import Recording, RecordingFailedError, predict, record
from maya.recipe_search.names import RUNS, SIMULATIONS
from maya.recipe_search.trials.bound import StepBound
from maya.recipe_search.trials.fingerprint import fingerprint
from maya.recipe_search.trials.hopeless import Watch, out_of_memory
from maya.recipe_search.trials.host_told import HostTold, host_told
from maya.recipe_search.trials.jobs import How, TrialJob, TrialOutcome, metrics_of
from maya.recipe_search.trials.warmth import close, started_badly, started_well, warm_environment
from maya.rundir import RunDirectory, names
from maya.summary import (
    KernelRow,
    PredictionOptions,
    Summary,
    keep_prediction,
    prediction_name,
    read_prediction,
    write_prediction,
)
from maya.trace import Run, collect, read_capture
from maya.typed_json import decode, encode

_LOG = "output.txt"
_HOST = "host.json"  # beside a simulation, for the trials that share it
_TRACEBACK = "Traceback (most recent call last)"
_LONGEST_MESSAGE = 4000
_MS_PER_HOUR = 3600e3
# Recipes are compared by their plain step, and the host of one is like that of the others.
# They start from the worker's own server, or from nothing.
_QUICK = {FORK: "0", "MAYA_WATCH_STEPS": "0", "MAYA_SETTLE_MS": "100"}
_SIGKILL = (-9, 137)  # exit codes: the program's own, and as a shell in between tells it
_MOST_KILLS = 3
_KILLED = (
    f"the program, or a process that it started, was killed {_MOST_KILLS} times (SIGKILL), perhaps "
    "for want of memory on this machine: try fewer --jobs"
)
_STARVED = f"this machine ran out of memory in {_MOST_KILLS} attempts: try fewer --jobs"
Ended = Recording | RecordingFailedError


@cache
def _chain() -> Chain:
    """One for all trials of this process: most kernels of one recipe are those of another."""
    return default_chain()


def run_trial(job: TrialJob) -> TrialOutcome:
    """Run a job; whatever goes wrong with it is its outcome."""
    started = time.monotonic()
    try:
        outcome = _run(job)
    except MayaError as error:
        outcome = TrialOutcome("failed", message=error.message)
    except OSError as error:  # a full disk, a directory that cannot be written
        outcome = TrialOutcome("failed", message=f"the trial could not be run: {error}")
    return replace(outcome, seconds=round(time.monotonic() - started, 3))


def _run(job: TrialJob) -> TrialOutcome:
    cluster = find_cluster(job.cluster)
    directory = Path(job.store) / RUNS / job.capture_key
    run_dir = RunDirectory(directory)
    known = run_dir.has(names.RUN) and bool(run_dir.capture_files())
    if not known:
        failure = _emulate(job, cluster, directory)
        if failure is not None:
            return failure
    run = collect(directory)
    how: How = "resimulated" if known else "emulated"
    try:
        if known and (watch := _watch(job, cluster)) and watch.look(directory):
            return _hopeless(job, cluster)
        if script_ran_out_of_memory(run):
            return TrialOutcome("oom", how, message="an allocation failed")
        return _predict(job, cluster, run, how)
    finally:
        if not job.keep_captures:
            for path in run_dir.capture_files():
                path.unlink(missing_ok=True)


def _emulate(job: TrialJob, cluster: Cluster, directory: Path) -> TrialOutcome | None:
    """Leave a complete run in `directory`, or say why there is none."""
    _remove_left_over(job, directory)
    watch, places = _watch(job, cluster), _places(job, directory)
    for _ in range(_MOST_KILLS):
        ended = _attempt_warm(job, cluster, places, watch)
        if ended.result.signal is not None:
            sys.exit(ended.result.status)  # this worker shall end: another runs the trial
        if not _killed(ended.result):
            break
    else:
        return TrialOutcome("failed", message=_STARVED if ended.result.starved else _KILLED)
    attempt = ended.result.run_dir
    if watch is not None and watch.look(attempt):
        shutil.rmtree(attempt, ignore_errors=True)
        return _hopeless(job, cluster)
    if isinstance(ended, RecordingFailedError):
        return TrialOutcome("failed", message=_failure(ended, attempt / _LOG))
    shutil.rmtree(directory, ignore_errors=True)
    attempt.rename(directory)
    _remove_left_over(job, directory)
    return None


def _places(job: TrialJob, directory: Path) -> Iterator[Path]:
    """One for every start of the program: what is left of one that was killed may still record."""
    for start in count():
        yield directory.with_name(f"{directory.name}.{os.getpid()}-{start}.{job.number}")


def _remove_left_over(job: TrialJob, directory: Path) -> None:
    """What a worker left that was killed in this trial."""
    for path in directory.parent.glob(f"{directory.name}.*.{job.number}"):
        shutil.rmtree(path, ignore_errors=True)


def _attempt_warm(
    job: TrialJob, cluster: Cluster, places: Iterator[Path], watch: Watch | None
) -> Ended:
    """Run the program, from a warm server where that works."""
    with _inside(job.directory):  # as the program: its script is named from there
        warm = warm_environment(job, cluster)
    deadline = time.monotonic() + job.max_seconds
    ended = _attempt(job, cluster, next(places), warm, watch, deadline)
    if warm and ended.result.exit_code == SERVER_LOST:
        close()  # the next one starts its own
    elif _killed(ended.result):
        return ended
    elif warm and ended.result.captures:
        started_well()
    elif warm:
        log = (ended.result.run_dir / _LOG).replace(_warm_log(job))
        ended = _attempt(job, cluster, next(places), {}, watch, deadline)
        if ended.result.captures:  # else the recipe is to blame
            started_badly()
        else:
            log.unlink()
    return ended


def _killed(result: EmulationResult) -> bool:
    """By somebody else: that says nothing about the recipe, and what was recorded is not whole.

    Or a process that it had started, for which it failed.
    """
    if result.ended_by == "script" and (result.starved or result.killed_child):
        return True
    if result.exit_code not in (*_SIGKILL, SERVER_LOST):
        return False
    told_to_end = result.ended_by == "steps"  # between that and its end, it closes its capture
    unfinished = told_to_end and not all(read_capture(file).complete for file in result.captures)
    return result.ended_by == "script" or unfinished


def _warm_log(job: TrialJob) -> Path:
    """What the program printed where it worked only without the warm server: kept, to find out."""
    return Path(job.store) / RUNS / f"{job.number}.warm.txt"


def _watch(job: TrialJob, cluster: Cluster) -> Watch | None:
    if job.stop_above_ms is None and not job.alone_first:
        return None
    limit_ms = math.inf if job.stop_above_ms is None else job.stop_above_ms
    return Watch(StepBound(cluster, _chain()), limit_ms)


def _decided(directory: Path, watch: Watch | None) -> bool:
    """Whether the rest of the run cannot change the trial's outcome."""
    return out_of_memory(directory) or (watch is not None and watch(directory))


def _hopeless(job: TrialJob, cluster: Cluster) -> TrialOutcome:
    """The same wherever in its run the trial was ended, and if it came to its end before."""
    least_ms = job.stop_above_ms or 0.0
    usd = cluster.usd_per_hour and least_ms / _MS_PER_HOUR * cluster.usd_per_hour
    message = f"a step takes at least {least_ms:.4g} ms"
    return TrialOutcome("hopeless", "emulated", {"step_ms": least_ms, "usd_per_step": usd}, message)


def _attempt(
    job: TrialJob,
    cluster: Cluster,
    output: Path,
    env: dict[str, str],
    watch: Watch | None,
    deadline: float,
) -> Ended:
    log = output.with_suffix(".txt")
    log.parent.mkdir(parents=True, exist_ok=True)
    options = EmulationOptions(
        steps=job.steps,
        max_seconds=job.max_seconds,
        deadline=deadline,
        output=output,
        env=_QUICK | job.env | env,
        enough=partial(_decided, watch=watch),
        seen_alone=watch.seen_alone if watch is not None and job.alone_first else None,
    )
    with _output_to(log), _inside(job.directory):
        ended = _record(job, cluster, options)
    log.replace(output / _LOG)
    return ended


def _record(job: TrialJob, cluster: Cluster, options: EmulationOptions) -> Ended:
    """A recipe that fails is a result like any other."""
    try:
        return record(job.command, cluster, options)
    except RecordingFailedError as error:
        return error


def _predict(job: TrialJob, cluster: Cluster, run: Run, how: How) -> TrialOutcome:
    options = _options(job)
    place = Path(job.store) / SIMULATIONS / _simulation_key(options, cluster, run)
    if known := _known(place):
        summary, how = replace(known[0], command=run.command), "reused"
        keep_prediction(run.directory.path, summary, known[1])
        host = _kept_host(place / _HOST)
    else:
        answer = predict(run, cluster, options, chain=_chain())
        summary = answer.summary
        write_prediction(place, summary, answer.kernels())
        host = host_told(answer.prediction) if answer.prediction else None
        if host is not None:
            (place / _HOST).write_text(encode(HostTold, host), encoding="utf-8")
        # Now: the captures that it is drawn from are deleted with the trial.
        page = run_page(summary, answer.prediction, what_if=False, captures=run.captures)
        write_page(page, place / names.PAGE)
    if (place / names.PAGE).exists():
        shutil.copyfile(place / names.PAGE, page_file(job))
    metrics = metrics_of(summary)
    if summary.memory.oom:
        return TrialOutcome("oom", how, metrics, "more memory than the GPU has")
    if not metrics:
        return TrialOutcome("failed", how, message=f"no step: {summary.no_step}")
    return TrialOutcome("ok", how, metrics, host=host)


def page_file(job: TrialJob) -> Path:
    """The page of a trial's run."""
    name = prediction_name(find_cluster(job.cluster), _options(job))
    return Path(job.store) / RUNS / job.capture_key / names.PREDICTIONS / name / names.PAGE


def _options(job: TrialJob) -> PredictionOptions:
    return PredictionOptions(host_scale=job.host_scale, tokens_per_step=job.tokens_per_step)


def _known(place: Path) -> tuple[Summary, tuple[KernelRow, ...]] | None:
    """What an earlier trial found; None also where another version of maya wrote it."""
    try:
        kept = read_prediction(place)
        return kept.summary, kept.kernels()
    except MayaError:
        return None


def _kept_host(file: Path) -> HostTold | None:
    """None where it does not matter, and where another version of maya did not tell."""
    try:
        return decode(HostTold, file.read_bytes(), file, hint="remove it")
    except (MayaError, FileNotFoundError):
        return None


def _simulation_key(options: PredictionOptions, cluster: Cluster, run: Run) -> str:
    work = fingerprint(run.captures, _chain(), cluster.gpu)
    return f"{work}-{prediction_name(cluster, options)}"


def _failure(error: RecordingFailedError, log: Path) -> str:
    """What the program said last, above all its traceback."""
    if error.result.status == ExitCode.OK:
        return error.message
    text = log.read_text("utf-8", errors="replace")
    start = text.find(_TRACEBACK)
    shown = text[start:] if start >= 0 else text[-_LONGEST_MESSAGE:]
    return f"exit code {error.result.exit_code}\n{shown[:_LONGEST_MESSAGE].strip()}"


@contextmanager
def _output_to(path: Path) -> Iterator[None]:
    """Send what this process and its children print to a file."""
    saved = os.dup(1), os.dup(2)
    with path.open("wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        for copy, descriptor in zip(saved, (1, 2), strict=True):
            os.dup2(copy, descriptor)
            os.close(copy)


@contextmanager
def _inside(directory: str) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(directory)
    try:
        yield
    finally:
        os.chdir(before)
