"""Run a command under the emulated libraries and say how it ended."""

import os
import platform
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from maya.emulate import rundir
from maya.emulate.environment import CACHES, child_environment, guess_gpu_count
from maya.emulate.native import preload
from maya.emulate.process import ProcessTree, Stop
from maya.emulate.target import Target, resolve
from maya.errors import ExitCode, MayaError
from maya.hardware import Gpu, device_file_text, find_gpu

STOP_GRACE_S = 20.0  # for the emulator inside the process to end it
LATE_S = 2.0  # beyond --max-seconds
_STOP_REASONS = ("steps", "max-seconds")


@dataclass(frozen=True, slots=True)
class EmulationOptions:
    """How to emulate."""

    gpu: str = "h100"
    gpus: int | None = None
    steps: int = 3
    max_seconds: float = 600.0
    strict: bool = False
    record: bool = True
    output: Path | str | None = None
    force: bool = False
    check_torch: bool = True
    preload: tuple[Path, ...] | None = None  # None: the emulated libraries of the right version
    env: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EmulationResult:
    """How a run ended and what it left."""

    run_dir: Path
    captures: tuple[Path, ...]
    exit_code: int
    ended_by: str  # "script", "steps", "max-seconds", "signal" or "strict"
    wall_seconds: float

    @property
    def status(self) -> ExitCode:
        """The exit code of `maya` for this run."""
        if self.ended_by == "strict":
            return ExitCode.UNSUPPORTED
        if self.ended_by in ("steps", "max-seconds") or self.exit_code == 0:
            return ExitCode.OK
        return ExitCode.SCRIPT_FAILED


def emulate(
    command: Sequence[str], options: EmulationOptions | None = None, /, **changes: Any
) -> EmulationResult:
    """Run `command` as if this machine had the GPUs asked for; keyword arguments are options."""
    options = options or EmulationOptions(**changes)
    words = list(command)
    gpu = find_gpu(options.gpu)
    _check(options)
    target = resolve(words, check_torch=options.check_torch)
    libraries = preload(target.cuda_major) if options.preload is None else list(options.preload)
    run_dir = rundir.prepare(_output(options, words), force=options.force)
    gpus = options.gpus or guess_gpu_count(words)
    device_file = run_dir / "device.txt"
    device_file.write_text(device_file_text(gpu), encoding="utf-8")
    env = child_environment(
        os.environ | options.env,
        preload=libraries,
        run_dir=run_dir,
        device_file=device_file,
        gpus=gpus,
        steps=options.steps,
        max_seconds=options.max_seconds,
        strict=options.strict,
        record=options.record,
    )
    for name in CACHES:
        Path(env[name]).mkdir(parents=True, exist_ok=True)
    result = _execute(target, env, run_dir, options)
    _raise_recorder_error(run_dir)
    rundir.write_run_file(run_dir, _description(words, target, gpu, gpus, options, result))
    return result


def _output(options: EmulationOptions, words: list[str]) -> Path:
    return Path(options.output) if options.output else rundir.default_run_dir(words)


def _execute(
    target: Target, env: dict[str, str], run_dir: Path, options: EmulationOptions
) -> EmulationResult:
    started = time.monotonic()
    deadline = started + options.max_seconds + LATE_S

    def stop() -> Stop | None:
        if (written := rundir.read_text(run_dir / rundir.STOP_FILE)) is not None:
            word = written.partition(" ")[0]
            return Stop(word if word in _STOP_REASONS else "steps", announced=True)
        late = time.monotonic() > deadline
        return Stop("max-seconds", announced=False) if late else None

    tree = ProcessTree(target.argv, env, mark=f"MAYA_RUN_DIR={run_dir}")
    try:
        reason = tree.wait(stop, grace_s=STOP_GRACE_S)
    finally:
        tree.close()
    code = tree.process.returncode
    if reason is None:
        stopped = stop()
        reason = stopped.reason if stopped and stopped.announced else "script"
    if (run_dir / rundir.STRICT_FILE).exists():
        reason = "strict"
    wall_seconds = time.monotonic() - started
    return EmulationResult(run_dir, tuple(rundir.captures(run_dir)), code, reason, wall_seconds)


def _check(options: EmulationOptions) -> None:
    if options.steps < 0 or options.max_seconds <= 0:
        raise MayaError("--max-seconds must be positive, and --steps too (or 0: never stop)")
    if options.gpus is not None and not 1 <= options.gpus <= 1024:
        raise MayaError("--gpus must be between 1 and 1024")


def _raise_recorder_error(run_dir: Path) -> None:
    """The recorder stopped (disk full): the run is not a valid one and gets no run.json."""
    if (text := rundir.read_text(run_dir / rundir.ERROR_FILE)) is not None:
        raise MayaError(
            f"recording failed: {text or 'the disk may be full'}",
            hint=f"free disk space or choose another directory with -o; {run_dir} is incomplete",
        )


def _description(
    words: list[str],
    target: Target,
    gpu: Gpu,
    gpus: int,
    options: EmulationOptions,
    result: EmulationResult,
) -> dict[str, Any]:
    try:
        maya_version = version("maya-sim")
    except PackageNotFoundError:
        maya_version = "unknown"
    return {
        "format": 1,
        "command": words,
        "directory": str(Path.cwd()),
        "gpu": gpu.id,
        "gpu_name": gpu.name,
        "gpu_total_memory_bytes": gpu.total_memory_bytes,
        "gpu_context_bytes": gpu.context_bytes,
        "gpus": gpus,
        "steps": options.steps,
        "max_seconds": options.max_seconds,
        "strict": options.strict,
        "record": options.record,
        "ended_by": result.ended_by,
        "exit_code": result.exit_code,
        "wall_seconds": round(result.wall_seconds, 3),
        "captures": [path.name for path in result.captures],
        "versions": {
            "maya": maya_version,
            "torch": target.torch_version,
            "cuda_major": target.cuda_major,
            "kernel": platform.release(),
        },
    }
