"""The environment in which the command runs."""

import os
import re
import time
from collections.abc import Mapping
from pathlib import Path

from maya.emulator.native import native_dir

# Directories of what compilers leave behind; frameworks expect them to exist.
_INDUCTOR = "inductor-2"  # of "inductor" the code does not say which modules it comes from
CACHES = ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR")


def child_environment(
    base: Mapping[str, str],
    *,
    preload: list[Path],
    run_dir: Path,
    device_file: Path,
    gpus: int,
    steps: int,
    max_seconds: float,
    strict: bool,
    record: bool,
    routing: str = "balanced",
    unknown: str = "meaning",
    output_lengths: int | None = None,
    step_marker: str | None = None,
    clock: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """The caller's environment, plus what the native core reads."""
    preloaded = [str(path) for path in preload]
    if base.get("LD_PRELOAD"):
        preloaded.append(base["LD_PRELOAD"])
    env = dict(base) | {
        "MAYA_RUN_DIR": str(run_dir),
        "MAYA_DEVICE_FILE": str(device_file),
        "MAYA_GPU_COUNT": str(gpus),
        "MAYA_STEPS": str(steps),
        "MAYA_MAX_SECONDS": f"{max_seconds:g}",
        "MAYA_DEADLINE_NS": str(time.monotonic_ns() + int(max_seconds * 1e9)),
        "MAYA_STRICT": str(int(strict)),
        "MAYA_RECORD": str(int(record)),
        "MAYA_ROUTING": routing,
        "MAYA_UNKNOWN": unknown,
        "MAYA_OUTPUT_LENGTHS": "" if output_lengths is None else str(output_lengths),
        "MAYA_STEP_MARKER": step_marker or "",
        # Triton links its launcher with -lcuda and looks for the library here.
        "TRITON_LIBCUDA_PATH": str(native_dir()),
    }
    env |= clock or {}
    env.pop("MAYA_PROCESSES", None)  # a run within a run has its own first process
    inside = Path(__file__).resolve().parent / "inside"
    env["PYTHONPATH"] = _before(str(inside), base.get("PYTHONPATH"))
    # Programs look for GPUs with nvidia-smi, too.
    env["PATH"] = _before(str(inside / "bin"), base.get("PATH", os.defpath))
    if preloaded:
        env["LD_PRELOAD"] = ":".join(preloaded)
    return _defaults(base) | env


def usable_caches(env: Mapping[str, str], instead: Path) -> dict[str, str]:
    """`env` with directories that exist; below `instead` where they cannot be made."""
    made = dict(env)
    for name in CACHES:
        if not _can_use(Path(env[name])):
            made[name] = str(instead / name.lower())
            Path(made[name]).mkdir(parents=True, exist_ok=True)
    return made


def _can_use(directory: Path) -> bool:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(directory, os.W_OK)


def _before(first: str, rest: str | None) -> str:
    return os.pathsep.join(filter(None, [first, rest]))


def _defaults(base: Mapping[str, str]) -> dict[str, str]:
    """What the caller may have set otherwise."""
    cache = Path(base.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "maya"
    return {
        "WANDB_MODE": "disabled",
        # NVTX is header-only: it calls whatever library this names.
        "NVTX_INJECTION64_PATH": str(native_dir() / "libmaya_core.so"),
        # Kernels compiled and configurations chosen here must never reach a run on a real GPU.
        "USE_PYTORCH_KERNEL_CACHE": "0",
        "TORCHINDUCTOR_CACHE_DIR": str(cache / _INDUCTOR),
        "TRITON_CACHE_DIR": str(cache / "triton"),
    }


def rank_environment(
    base: Mapping[str, str], own: Mapping[str, str], table: Path | None
) -> dict[str, str]:
    """A rank's environment; `table` says which ranks are virtual, None where none is."""
    env = dict(base) | dict(own) | {"MAYA_SUPERVISED": "1"}
    if int(own.get("LOCAL_WORLD_SIZE", "1")) > 1:
        env.setdefault("OMP_NUM_THREADS", "1")  # torchrun's default for several ranks a node
    if table is None:
        return env
    return env | {"MAYA_REPRESENTATIVES": str(table)}


def guess_gpu_count(command: list[str]) -> int:
    """As many GPUs as the launcher is told to start processes for; else one."""
    pattern = re.compile(r"--?(?:nproc[-_]per[-_]node|num[-_]processes|num[-_]gpus)(?:=(\d+))?")
    for index, word in enumerate(command):
        if match := pattern.fullmatch(word):
            value = match.group(1) or (command[index + 1] if index + 1 < len(command) else "")
            if value.isdigit() and int(value) > 0:
                return int(value)
    return int(os.environ.get("LOCAL_WORLD_SIZE", "1") or 1)
