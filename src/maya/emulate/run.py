"""Run a command under the emulated libraries and say how it ended."""

import contextlib
import os
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from maya.emulate import handover
from maya.emulate.accelerate import Node
from maya.emulate.device import write_device_file
from maya.emulate.environment import CACHES, child_environment, guess_gpu_count
from maya.emulate.execute import Command, EmulationResult, execute
from maya.emulate.job import describe, run_job
from maya.emulate.launcher import is_python, read_launch
from maya.emulate.layout import Layout, place
from maya.emulate.native import preload
from maya.emulate.plan import Plan
from maya.emulate.routing import routing_policy
from maya.emulate.target import Target, resolve
from maya.emulate.yardstick import Yardstick
from maya.errors import MayaError
from maya.hardware import Gpu, find_gpu
from maya.rundir import HostFacts, RunDirectory, RunFacts, Versions, names, new_run_directory
from maya.rundir.facts import FORMAT
from maya.version import maya_version


@dataclass(frozen=True, slots=True)
class EmulationOptions:
    """How to emulate."""

    gpu: str | Gpu = "h100"  # of the catalogue, or described by a cluster file
    gpus: int | None = None
    steps: int = 3
    max_seconds: float = 600.0
    strict: bool = False
    record: bool = True
    output: Path | str | None = None
    force: bool = False
    check_torch: bool = True
    preload: tuple[Path, ...] | None = None  # None: the emulated libraries of the right version
    routing: str = "balanced"  # "zipf:EXPONENT", or a file with a weight for every expert
    env: dict[str, str] = field(default_factory=dict)
    # A cluster of so many nodes with `gpus` each: a launcher's ranks are started by us, and only
    # those that differ. None: the command runs as it is.
    nodes: int | None = None
    ranks: str | None = None  # "0,8,16-23": launch these
    all_ranks: bool = False
    say: Callable[[str], None] = lambda _: None  # told what is launched, and why
    enough: Callable[[Path], bool] | None = None  # asked while it runs; True cuts the run off
    # Asked while one rank of several that exchange messages runs alone; True launches the others.
    # None: they are launched as soon as they are known.
    seen_alone: Callable[[Path], bool] | None = None


def emulate(
    command: Sequence[str], options: EmulationOptions | None = None, /, **changes: Any
) -> EmulationResult:
    """Run `command` as if this machine had the GPUs asked for; keyword arguments are options."""
    options = options or EmulationOptions(**changes)
    words = list(command)
    result, env = _emulate(words, options)
    handed = handover.read_handed(RunDirectory(result.run_dir), env)
    if handed is None:
        return result
    options.say(f"{words[0]} starts {' '.join(handed.command)}")
    own = replace(options, env=options.env | handed.environment, output=result.run_dir)
    with contextlib.chdir(handed.directory):
        return _emulate(handed.command, own)[0]


def _emulate(words: list[str], options: EmulationOptions) -> tuple[EmulationResult, dict[str, str]]:
    """How the command ended, and the environment that it was given."""
    gpu = options.gpu if isinstance(options.gpu, Gpu) else find_gpu(options.gpu)
    _check(options)
    routing = routing_policy(options.routing)
    layout = _layout(words, options, gpu)
    program = list(layout.argv(0)) if layout else words
    target = resolve(program, check_torch=options.check_torch)
    libraries = preload(target.cuda_major) if options.preload is None else list(options.preload)
    place = RunDirectory(Path(options.output)) if options.output else new_run_directory(words)
    with place.claimed(force=options.force) as run_dir:
        gpus = options.gpus or guess_gpu_count(words)
        env = child_environment(
            os.environ | options.env | (layout.launch.env if layout else {}),
            preload=libraries,
            run_dir=run_dir.path,
            device_file=write_device_file(run_dir.path, gpu),
            gpus=gpus,
            steps=options.steps,
            max_seconds=options.max_seconds,
            strict=options.strict,
            record=options.record,
            routing=routing,
        )
        for name in CACHES:
            Path(env[name]).mkdir(parents=True, exist_ok=True)
        with Yardstick() as yardstick:
            plan, result = _run(layout, target, env, run_dir, options)
        _raise_recorder_error(run_dir)
        facts = _facts(words, target, gpu, gpus, options, result)
        host = HostFacts(yardstick.cpu_ns, round(yardstick.crowd, 1))
        run_dir.write_facts(replace(facts, host=host, ranks=describe(layout, plan)))
    return result, env


def _run(
    layout: Layout | None,
    target: Target,
    env: dict[str, str],
    run_dir: RunDirectory,
    options: EmulationOptions,
) -> tuple[Plan | None, EmulationResult]:
    """Start a launcher's ranks, or the command as it is until it comes to a launcher."""
    if layout is not None:
        return run_job(layout, target.argv[0], env, run_dir, options)
    asked: list[Callable[[], bool]] = []
    if options.enough is not None:
        asked.append(partial(options.enough, run_dir.path))
    if handover.possible(options.nodes):
        env = env | {handover.VARIABLE: str(run_dir.file(names.LAUNCHER))}
        asked.append(partial(run_dir.has, names.LAUNCHER))
    enough = (lambda: any(ask() for ask in asked)) if asked else None
    result = execute([Command(target.argv, env)], run_dir, options.max_seconds, enough)
    if (options.ranks or options.all_ranks) and not run_dir.has(names.LAUNCHER):
        raise _no_launcher()
    return None, result


def _layout(words: list[str], options: EmulationOptions, gpu: Gpu) -> Layout | None:
    """Where a launcher's ranks go; None for a program that is run as it is."""
    launch = None
    if options.nodes:
        node = Node(gpu, options.gpus or 1)
        launch = read_launch(words, os.environ | options.env, node)
    if launch is None or options.nodes is None:
        hopeless = not handover.possible(options.nodes) or is_python(words)
        if hopeless and (options.ranks or options.all_ranks):
            raise _no_launcher()
        return None
    return place(launch, options.nodes, options.gpus or 1)


def _no_launcher() -> MayaError:
    return MayaError(
        "--ranks and --all-ranks need a launcher",
        hint="for example: maya run --cluster h100:8x8 -- torchrun --nproc-per-node 8 ...",
    )


def _check(options: EmulationOptions) -> None:
    if options.steps < 0 or options.max_seconds <= 0:
        raise MayaError("--max-seconds must be positive, and --steps too (or 0: never stop)")
    if options.gpus is not None and not 1 <= options.gpus <= 1024:
        raise MayaError("--gpus must be between 1 and 1024")


def _raise_recorder_error(run_dir: RunDirectory) -> None:
    """The recorder stopped (disk full): the run is not a valid one and gets no run.json."""
    if (text := run_dir.text(names.ERROR)) is not None:
        raise MayaError(
            f"recording failed: {text or 'the disk may be full'}",
            hint="free disk space or choose another directory with -o; "
            f"{run_dir.path} is incomplete",
        )


def _facts(
    words: list[str],
    target: Target,
    gpu: Gpu,
    gpus: int,
    options: EmulationOptions,
    result: EmulationResult,
) -> RunFacts:
    return RunFacts(
        format=FORMAT,
        command=tuple(words),
        directory=str(Path.cwd()),
        gpu=gpu.id,
        gpu_name=gpu.name,
        gpu_total_memory_bytes=gpu.total_memory_bytes,
        gpu_context_bytes=gpu.context_bytes,
        gpus=gpus,
        steps=options.steps,
        max_seconds=options.max_seconds,
        strict=options.strict,
        routing=options.routing,
        record=options.record,
        ended_by=result.ended_by,
        exit_code=result.exit_code,
        wall_seconds=round(result.wall_seconds, 3),
        captures=tuple(path.name for path in result.captures),
        versions=Versions(
            maya=maya_version(),
            torch=target.torch_version,
            cuda_major=target.cuda_major,
            kernel=platform.release(),
        ),
    )
