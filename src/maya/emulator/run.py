"""Run a command under the emulated libraries and say how it ended."""

import contextlib
import os
import platform
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from maya.emulator import handover
from maya.emulator.clients import write_client_environment
from maya.emulator.device import write_device_file
from maya.emulator.environment import child_environment, guess_gpu_count, usable_caches
from maya.emulator.execute import Command, EmulationResult, execute
from maya.emulator.held_files import FileLayer, place_of
from maya.emulator.job import describe, run_job
from maya.emulator.launchers import LaunchNode, is_python, read_launch
from maya.emulator.layout import Layout, place
from maya.emulator.native import preload
from maya.emulator.plan import Plan
from maya.emulator.routing import routing_policy
from maya.emulator.stages import StageReader
from maya.emulator.target import Target, resolve
from maya.emulator.virtual_clock import VirtualClock
from maya.emulator.yardstick import Yardstick
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
    max_seconds: float = 600.0  # for the whole command, however often it is launched
    deadline: float | None = None  # of time.monotonic(); None: max_seconds from the start on
    strict: bool = False
    record: bool = True
    output: Path | str | None = None
    force: bool = False
    check_torch: bool = True
    preload: tuple[Path, ...] | None = None  # None: the emulated libraries of the right version
    unknown: str = "meaning"  # unknown values by what they stand for, or "zeros"
    output_lengths: int | None = None  # tokens that generate() makes; None: as many as it may
    step_marker: str | None = None  # ranges of this name are the steps
    clock: VirtualClock | None = None  # None: the program sees the clock of this machine
    routing: str = "balanced"  # "zipf:EXPONENT", or a file with a weight for every expert
    env: dict[str, str] = field(default_factory=dict)
    # A cluster of so many nodes with `gpus` each: a launcher's ranks are started by us, and only
    # those that differ. None: the command runs as it is.
    nodes: int | None = None
    ranks: str | None = None  # "0,8,16-23": launch these
    all_ranks: bool = False
    say: Callable[[str], None] = lambda _: None  # told what is launched, and why
    keep_files: bool = False  # what the program wrote is left in the run directory
    allow_writes: bool = False  # the program writes to the user's own files
    enough: Callable[[Path], bool] | None = None  # asked while it runs; True cuts the run off
    # Asked while one rank of several that exchange messages runs alone; True launches the others.
    # None: they are launched as soon as they are known.
    seen_alone: Callable[[Path], bool] | None = None
    # Tells which stages of a pipeline do the same, so that few are launched; None: all are.
    stages: StageReader | None = None
    clients: bool = False  # other programs may join the clock: see `maya client`
    may_hand_over: bool = True  # where the command comes to a launcher, its ranks are started by us

    def __post_init__(self) -> None:
        if self.ranks and self.all_ranks:
            raise MayaError(
                "--ranks and --all-ranks contradict each other", hint="leave out one of them"
            )

    @property
    def seconds_left(self) -> float:
        """Until the command has had its time."""
        given = self.max_seconds
        return given if self.deadline is None else self.deadline - time.monotonic()


def emulate(command: Sequence[str], options: EmulationOptions | None = None, /) -> EmulationResult:
    """Run `command` as if this machine had the GPUs asked for."""
    options = options or EmulationOptions()
    if options.deadline is None:
        options = replace(options, deadline=time.monotonic() + options.max_seconds)
    words = list(command)
    result, env = _emulate(words, options)
    handed = handover.read_handed(RunDirectory(result.run_dir), env)
    if handed is None:
        return result
    options.say(f"{words[0]} starts {' '.join(handed.command)}")
    own = replace(options, env=options.env | handed.environment, output=result.run_dir)
    with contextlib.chdir(place_of(handed.directory, result.run_dir)):
        return _emulate(handed.command, own, handed)[0]


def _emulate(
    words: list[str], options: EmulationOptions, handed: handover.Handed | None = None
) -> tuple[EmulationResult, dict[str, str]]:
    """How the command ended, and the environment that it was given."""
    gpu = options.gpu if isinstance(options.gpu, Gpu) else find_gpu(options.gpu)
    _check(options)
    routing = routing_policy(options.routing)
    layout = _layout(words, options, gpu)
    program = list(layout.argv(0)) if layout else words
    target = resolve(program, check_torch=options.check_torch)
    libraries = preload(target.cuda_major) if options.preload is None else list(options.preload)
    if options.clock:
        libraries.insert(0, options.clock.library())
    place = RunDirectory(Path(options.output)) if options.output else new_run_directory(words)
    # The directory may stand in the layer, and be gone when the run is over.
    directory = handed.directory if handed else Path.cwd()
    keep = (names.HELD_FILES,) if handed else ()
    replaced = "; the earlier run in it is replaced" if place.is_run else ""
    with place.claimed(force=options.force, keep=keep) as run_dir:
        if handed is None:
            options.say(f"run directory {run_dir.path}{replaced}")
        gpus = options.gpus or guess_gpu_count(words)
        sharing = layout.world_size if layout else 1
        env = child_environment(
            os.environ | options.env | (layout.launch.env if layout else {}),
            preload=libraries,
            run_dir=run_dir.path,
            device_file=write_device_file(run_dir.path, gpu),
            gpus=gpus,
            steps=options.steps,
            max_seconds=options.seconds_left,
            strict=options.strict,
            record=options.record,
            routing=routing,
            unknown=options.unknown,
            output_lengths=options.output_lengths,
            step_marker=options.step_marker,
            clock=options.clock.environment(run_dir, sharing) if options.clock else None,
        )
        env = usable_caches(env, run_dir.file(names.CACHES))
        if options.clients:
            write_client_environment(run_dir, env)
        layer = _file_layer(run_dir, env, options)
        answers = options.clock.durations(run_dir.path, sharing) if options.clock else nullcontext()
        with layer, answers, Yardstick() as yardstick:
            # A launcher of one process that is no rank does its work itself.
            own = replace(options, may_hand_over=options.may_hand_over and handed is None)
            plan, result = _run(layout, target, layer.environment, run_dir, own)
        _raise_recorder_error(run_dir)
        facts = _facts(words, directory, target, gpu, gpus, options, result)
        host = HostFacts(yardstick.cpu_ns, round(yardstick.crowd, 1))
        ranks = describe(layout, plan, result)
        run_dir.write_facts(replace(facts, host=host, ranks=ranks, held_files=layer.held))
    return result, env


def _file_layer(run_dir: RunDirectory, env: dict[str, str], options: EmulationOptions) -> FileLayer:
    emulated = options.preload is None
    active = emulated and not options.allow_writes
    return FileLayer(run_dir, env, active=active, keep=options.keep_files)


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
    if options.may_hand_over and handover.possible(options.nodes):
        in_shell = target.interpreter is None
        env = handover.asking(env, run_dir, in_shell=in_shell)
        asked.append(partial(run_dir.has, names.LAUNCHER))
    enough = (lambda: any(ask() for ask in asked)) if asked else None
    result = execute([Command(target.argv, env)], run_dir, options.seconds_left, enough)
    if (options.ranks or options.all_ranks) and not run_dir.has(names.LAUNCHER):
        raise _no_launcher()
    return None, result


def _layout(words: list[str], options: EmulationOptions, gpu: Gpu) -> Layout | None:
    """Where a launcher's ranks go; None for a program that is run as it is."""
    launch = None
    if options.nodes:
        node = LaunchNode(gpu, options.gpus or 1)
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
    if options.max_seconds <= 0:
        raise MayaError(f"--max-seconds must be greater than 0, not {options.max_seconds:g}")
    if options.steps < 0:
        raise MayaError(f"--steps must be at least 1, or 0 to never stop, not {options.steps}")
    if options.gpus is not None and not 1 <= options.gpus <= 1024:
        raise MayaError(f"--gpus must be between 1 and 1024, not {options.gpus}")
    if options.keep_files and options.allow_writes:
        raise MayaError(
            "--keep-files and --allow-writes exclude each other",
            hint="with --allow-writes nothing is held back that could be kept",
        )


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
    directory: Path,
    target: Target,
    gpu: Gpu,
    gpus: int,
    options: EmulationOptions,
    result: EmulationResult,
) -> RunFacts:
    return RunFacts(
        format=FORMAT,
        command=tuple(words),
        directory=str(directory),
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
