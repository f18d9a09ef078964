"""The commands as functions: `maya.run(...)`, `maya.simulate(...)`, `maya.search(...)`.

A function takes every option that its command takes, by the same name; a test holds them together.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from maya.api.report import Report

if TYPE_CHECKING:
    from maya.hardware import Cluster
    from maya.recipe_search.answers.answer import Answer
    from maya.recipe_search.space.file import SearchFile


def run(
    command: str | Sequence[str] = (),
    *,
    cluster: str | Path | Cluster | None = None,
    job: Path | str | None = None,
    host: str | None = None,
    host_scale: float = 1.0,
    tokens_per_step: float | None = None,
    samples_per_step: float | None = None,
    share_links: bool = True,
    overlap_slowdown: bool = True,
    ideal: bool = False,
    steps: int = 3,
    max_seconds: float = 600.0,
    strict: bool = False,
    ranks: str | None = None,
    all_ranks: bool = False,
    routing: str = "balanced",
    step_marker: str | None = None,
    clock: str = "real",
    unknown: str = "meaning",
    output_lengths: int | None = None,
    output: Path | str | None = None,
    force: bool = False,
    keep_files: bool = False,
    allow_writes: bool = False,
    measurements: Path | str | None = None,
    mask_density: float | None = None,
    every_rank: bool = False,
    jitter: float = 0.0,
    slow_node: Mapping[int, float] | None = None,
    seed: int = 0,
    trials: int = 10,
    env: Mapping[str, str] | None = None,
) -> Report:
    """Run a command without GPUs and say what it would do on a cluster.

    Args:
        command: as you would run it on the cluster: words, or one string as for a shell.
        cluster: GPU and GPUs per node (`h100:8`), with nodes (`h100:8x4`), or a YAML file;
            by default that of the job file, else h100:1.
        job: a Slurm script, a SkyPilot task, a torchx application, or a PyTorchJob, TrainJob,
            JobSet or Job of Kubernetes, which gives command, cluster and environment.
        host: CPU profile (default: the cluster's own).
        host_scale: multiplies CPU time.
        tokens_per_step: for tokens per second; wins over what was seen.
        samples_per_step: for samples per second; wins over what was seen.
        share_links: transfers at the same time share links.
        overlap_slowdown: overlapping work slows down.
        ideal: no GPU is slower than a typical one.
        steps: steady steps to record.
        max_seconds: end the program after this time at the latest.
        strict: stop at the first unsupported call.
        ranks: launch these ranks only: "0,8,16-23".
        all_ranks: launch every rank.
        routing: tokens per expert where a program asks: balanced, zipf[:S], or a file.
        step_marker: a step begins with each NVTX or profiler range of this name.
        clock: real, or virtual: the program's own clock and events show the predicted time.
        unknown: how values that no host made are answered: meaning, or zeros.
        output_lengths: tokens that generate() makes (default: as many as it may).
        output: directory of the run (default: maya-runs/<time>-<script>).
        force: use a directory that is not empty.
        keep_files: keep what the program writes, in the run directory.
        allow_writes: let the program write to your own files.
        measurements: CSV or Parquet file of measured kernels, believed before any estimate.
        mask_density: share of its mask's blocks that flex attention computes; None: as the mask
            says where its blocks follow from known values, else half.
        every_rank: simulate every rank, not only those that differ.
        jitter: noise of every kernel, relative standard deviation. Implies every_rank.
        slow_node: node -> how many times as long its kernels take. Implies every_rank.
        seed: of the noise.
        trials: simulations with noise.
        env: variables of the program besides those of this process.

    Raises:
        MayaError: the command failed, or left nothing to predict from.
    """
    from maya.emulator import EmulationOptions
    from maya.prediction import (
        assignment,
        check_slow_nodes,
        chosen_clock,
        find_target,
        predict,
        prediction_options,
        record,
    )

    words = shlex.split(command) if isinstance(command, str) else list(command)
    wanted = assignment(words, cluster, job)
    target = find_target(wanted.cluster, host)
    options = prediction_options(
        host_scale=host_scale,
        tokens_per_step=tokens_per_step,
        samples_per_step=samples_per_step,
        share_links=share_links,
        overlap_slowdown=overlap_slowdown,
        ideal=ideal,
        measurements=measurements,
        mask_density=mask_density,
        every_rank=every_rank,
        jitter=jitter,
        slow_node=slow_node,
        seed=seed,
        trials=trials,
    )
    check_slow_nodes(target, options.variation)
    emulation = EmulationOptions(
        steps=steps,
        max_seconds=max_seconds,
        strict=strict,
        ranks=ranks,
        all_ranks=all_ranks,
        routing=routing,
        step_marker=step_marker,
        clock=chosen_clock(clock, target, options),
        unknown=unknown,
        output_lengths=output_lengths,
        output=output,
        force=force,
        keep_files=keep_files,
        allow_writes=allow_writes,
        env={**wanted.env, **(env or {})},
    )
    with wanted.in_place():
        recorded = record(wanted.command, target, emulation).run
    return Report.of(predict(recorded, target, options), recorded.directory.path)


def simulate(
    run_dir: Path | str,
    *,
    cluster: str | Path | Cluster,
    host: str | None = None,
    host_scale: float = 1.0,
    tokens_per_step: float | None = None,
    samples_per_step: float | None = None,
    share_links: bool = True,
    overlap_slowdown: bool = True,
    ideal: bool = False,
    measurements: Path | str | None = None,
    mask_density: float | None = None,
    every_rank: bool = False,
    jitter: float = 0.0,
    slow_node: Mapping[int, float] | None = None,
    seed: int = 0,
    trials: int = 10,
) -> Report:
    """Predict a recorded run on a cluster, without emulating it again.

    The options are those of `run`. Like the command, it keeps the prediction beside the others in
    the run's directory, and as its summary.json.
    """
    from maya.prediction import find_target, predict, prediction_options
    from maya.trace import collect

    options = prediction_options(
        host_scale=host_scale,
        tokens_per_step=tokens_per_step,
        samples_per_step=samples_per_step,
        share_links=share_links,
        overlap_slowdown=overlap_slowdown,
        ideal=ideal,
        measurements=measurements,
        mask_density=mask_density,
        every_rank=every_rank,
        jitter=jitter,
        slow_node=slow_node,
        seed=seed,
        trials=trials,
    )
    recorded = collect(run_dir)
    answer = predict(recorded, find_target(cluster, host), options)
    return Report.of(answer, recorded.directory.path)


def search(
    file: SearchFile | Mapping[str, object] | Path | str,
    *,
    trials: int | None = None,
    sampler: str | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    backend: str = "local",
    storage: str | None = None,
    name: str | None = None,
    warm: bool = True,
    prune: bool = True,
    keep_captures: bool = False,
    output: Path | str | None = None,
) -> Answer:
    """The best recipe of a search file, or of the same as a dictionary.

    Args:
        file: a YAML file, or its keys.
        trials: recipes to evaluate at most.
        sampler: tpe, cmaes, nsga2, grid or random.
        seed: of the sampler.
        jobs: trials at once (default: what fits here).
        backend: local, or ray for many machines.
        storage: of the study (default: SQLite in `output`).
        name: of the study (default: the name of the file).
        warm: import once and fork for every trial.
        prune: skip what must run out of memory.
        keep_captures: do not delete captures.
        output: directory of the search.
    """
    from maya.recipe_search.answers.answer import answer_of
    from maya.recipe_search.engine import FileChanges, SearchOptions
    from maya.recipe_search.engine import search as run_search
    from maya.recipe_search.space.file import SearchFile

    place = Path(output) if output is not None else None
    options = SearchOptions(place, storage, name, jobs, backend, warm, keep_captures)
    given = SearchFile.model_validate(file) if isinstance(file, Mapping) else file
    changes = FileChanges(trials, sampler, seed, None if prune else False)
    return answer_of(run_search(given, options=options, changes=changes))
