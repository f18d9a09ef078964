"""One trial: emulate, see that it fits, simulate; each only if nobody has done it before."""

import hashlib
import json
import math
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

from maya.analyze import Options, answer_of
from maya.analyze.summary import script_ran_out_of_memory
from maya.emulate import EmulationOptions, EmulationResult, emulate
from maya.errors import ExitCode, MayaError
from maya.estimate import default_chain
from maya.estimate.chain import Chain
from maya.hardware import Cluster, find_cluster
from maya.rundir import RunDirectory, names
from maya.search.bound import StepBound
from maya.search.fingerprint import fingerprint
from maya.search.hopeless import Watch, out_of_memory
from maya.search.jobs import How, Job, Outcome, metrics_of
from maya.search.warmth import started_badly, started_well, warm_environment
from maya.trace import Run, collect

_LOG = "output.txt"
_TRACEBACK = "Traceback (most recent call last)"
_LONGEST_MESSAGE = 4000
_MS_PER_HOUR = 3600e3


@cache
def _chain() -> Chain:
    """One for all trials of this process: most kernels of one recipe are those of another."""
    return default_chain()


def run_trial(job: Job) -> Outcome:
    """Run a job; whatever goes wrong with it is its outcome."""
    started = time.monotonic()
    try:
        outcome = _run(job)
    except MayaError as error:
        outcome = Outcome("failed", message=error.message)
    return Outcome(
        outcome.status,
        outcome.how,
        outcome.metrics,
        outcome.message,
        round(time.monotonic() - started, 3),
    )


def _run(job: Job) -> Outcome:
    cluster = find_cluster(job.cluster)
    directory = Path(job.store) / "runs" / job.capture_key
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
            return Outcome("oom", how, message="an allocation failed")
        return _predict(job, cluster, run, how)
    finally:
        if not job.keep_captures:
            for path in run_dir.capture_files():
                path.unlink(missing_ok=True)


def _emulate(job: Job, cluster: Cluster, directory: Path) -> Outcome | None:
    """Leave a complete run in `directory`, or say why there is none."""
    attempt = directory.with_name(f"{directory.name}.{os.getpid()}.{job.number}")
    warm = warm_environment(job, cluster)
    watch = _watch(job, cluster)
    result = _attempt(job, cluster, attempt, warm, watch)
    if warm and result.captures:
        started_well()
    elif warm:
        log = (attempt / _LOG).replace(_warm_log(job))
        result = _attempt(job, cluster, attempt, {}, watch)
        if result.captures:  # else the recipe is to blame
            started_badly()
        else:
            log.unlink()
    if watch is not None and watch.look(attempt):
        shutil.rmtree(attempt, ignore_errors=True)
        return _hopeless(job, cluster)
    failed = result.status != ExitCode.OK
    if failed and not (result.captures and script_ran_out_of_memory(collect(attempt))):
        return Outcome("failed", message=_failure(attempt / _LOG, result.exit_code))
    if not result.captures:
        return Outcome("failed", message="the program made no device call")
    shutil.rmtree(directory, ignore_errors=True)
    attempt.rename(directory)
    return None


def _warm_log(job: Job) -> Path:
    """What the program printed where it worked only without the warm server: kept, to find out."""
    return Path(job.store) / "runs" / f"{job.number}.warm.txt"


def _watch(job: Job, cluster: Cluster) -> Watch | None:
    if job.stop_above_ms is None and not job.alone_first:
        return None
    limit_ms = math.inf if job.stop_above_ms is None else job.stop_above_ms
    return Watch(StepBound(cluster, _chain()), limit_ms)


def _decided(directory: Path, watch: Watch | None) -> bool:
    """Whether the rest of the run cannot change the trial's outcome."""
    return out_of_memory(directory) or (watch is not None and watch(directory))


def _hopeless(job: Job, cluster: Cluster) -> Outcome:
    """The same wherever in its run the trial was ended, and if it came to its end before."""
    least_ms = job.stop_above_ms or 0.0
    usd = cluster.usd_per_hour and least_ms / _MS_PER_HOUR * cluster.usd_per_hour
    message = f"a step takes at least {least_ms:.4g} ms"
    return Outcome("hopeless", "emulated", {"step_ms": least_ms, "usd_per_step": usd}, message)


def _attempt(
    job: Job, cluster: Cluster, output: Path, env: dict[str, str], watch: Watch | None
) -> EmulationResult:
    log = output.with_suffix(".txt")
    log.parent.mkdir(parents=True, exist_ok=True)
    options = EmulationOptions(
        gpu=cluster.gpu,
        gpus=cluster.per_node,
        nodes=cluster.nodes,
        steps=job.steps,
        max_seconds=job.max_seconds,
        output=output,
        env=job.env | env,
        enough=partial(_decided, watch=watch),
        seen_alone=watch.seen_alone if watch is not None and job.alone_first else None,
    )
    with _output_to(log), _inside(job.directory):
        result = emulate(job.command, options)
    log.replace(output / _LOG)
    return result


def _predict(job: Job, cluster: Cluster, run: Run, how: How) -> Outcome:
    known = Path(job.store) / "simulations" / f"{_simulation_key(job, cluster, run)}.json"
    if known.exists():
        summary, how = json.loads(known.read_text("utf-8")), "reused"
    else:
        options = Options(host_scale=job.host_scale, chain=_chain())
        summary, _ = answer_of(run, cluster, options, tokens_per_step=job.tokens_per_step)
        _write(known, summary)
    _write(run.path / names.SUMMARY, summary)
    metrics = metrics_of(summary) if summary["step"] else {}
    if summary["memory"]["oom"]:
        return Outcome("oom", how, metrics, "more memory than the GPU has")
    if not metrics:
        return Outcome("failed", how, message=f"no step: {summary['no_step']}")
    return Outcome("ok", how, metrics)


def _simulation_key(job: Job, cluster: Cluster, run: Run) -> str:
    facts = f"{cluster.model_dump_json()} {job.host_scale} {job.tokens_per_step}"
    work = fingerprint(run.captures, _chain(), cluster.gpu)
    return f"{work}-{hashlib.sha256(facts.encode()).hexdigest()[:16]}"


def _write(path: Path, content: dict[str, Any]) -> None:
    """Whole or not at all: another worker may read it, or we may be killed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(f".{os.getpid()}")
    temporary.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    temporary.replace(path)


def _failure(log: Path, exit_code: int) -> str:
    text = log.read_text("utf-8", errors="replace")
    start = text.find(_TRACEBACK)
    shown = text[start:] if start >= 0 else text[-_LONGEST_MESSAGE:]
    return f"exit code {exit_code}\n{shown[:_LONGEST_MESSAGE].strip()}"


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
