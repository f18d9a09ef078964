"""Building small C++ programs against the faked libraries and running them."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from maya.emulator.native import native_dir

ROOT = Path(__file__).resolve().parents[2] / "native"
FLAGS = ["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror"]


def build(
    source: str,
    output: Path,
    libraries: list[str],
    cuda: str = "cu12",
    extra: Sequence[str] = (),
) -> Path:
    """Compiles native/tests/<source> and links it with the faked libraries of these names."""
    includes = [f"-I{ROOT / 'gen' / cuda}", f"-I{ROOT / 'gen/common'}"]
    links = [
        f"-L{native_dir()}",
        f"-Wl,-rpath,{native_dir()}",
        *(f"-l:{name}" for name in libraries),
    ]
    command = [
        "g++",
        *FLAGS,
        *extra,
        *includes,
        str(ROOT / "tests" / source),
        "-o",
        str(output),
        *links,
    ]
    subprocess.run(command, check=True, timeout=120)
    return output


def environment(run_dir: Path, **extra: str) -> dict[str, str]:
    """What the launcher would set, for eight GPUs and a program that is never stopped."""
    return os.environ | {
        "MAYA_RUN_DIR": str(run_dir),
        "MAYA_GPU_COUNT": "8",
        "MAYA_STEPS": "0",
        **extra,
    }
