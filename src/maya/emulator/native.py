"""Where the emulated libraries are, and which of them a CUDA major version needs."""

import os
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from maya.errors import MayaError

CORE = "libmaya_core.so"
FILES = "libmaya_files.so"  # the layer over the user's files
CLOCK = "libmaya_clock.so"  # the virtual clock
GUARD = "maya_guard"

# SONAMEs that differ between CUDA 12 and 13; every other library serves both.
_MAJOR_OF = {
    "libcudart.so.12": 12,
    "libcudart.so.13": 13,
    "libcublas.so.12": 12,
    "libcublas.so.13": 13,
    "libcublasLt.so.12": 12,
    "libcublasLt.so.13": 13,
    "libcufft.so.11": 12,
    "libcufft.so.12": 13,
    "libcusolver.so.11": 12,
    "libcusolver.so.12": 13,
    "libcusolverMg.so.11": 12,
    "libcusolverMg.so.12": 13,
    "libcupti.so.12": 12,
    "libcupti.so.13": 13,
    "libnvrtc.so.12": 12,
    "libnvrtc.so.13": 13,
    "libnvJitLink.so.12": 12,
    "libnvJitLink.so.13": 13,
}
_PART = "libcudnn_"  # libcudnn.so.9 brings them, and they are empty
_LIBRARY = re.compile(r"lib[A-Za-z0-9_-]+\.so\.\d+")


@dataclass(frozen=True, slots=True)
class Library:
    """One emulated library on disk."""

    soname: str
    path: Path
    cuda_major: int | None  # None: serves every version


def native_dir() -> Path:
    """The directory of the emulated libraries."""
    override = os.environ.get("MAYA_NATIVE_DIR")
    return Path(override) if override else Path(__file__).resolve().parent.parent / "_native"


@cache
def libraries() -> tuple[Library, ...]:
    """Every emulated library that is installed, by name."""
    found = [
        path
        for path in native_dir().glob("lib*.so.*")
        if _LIBRARY.fullmatch(path.name) and not path.name.startswith(_PART)
    ]
    return tuple(Library(p.name, p, cuda_major_of(p.name)) for p in sorted(found))


def cuda_major_of(soname: str) -> int | None:
    """The CUDA version that wants this SONAME, or None where all do."""
    return _MAJOR_OF.get(soname)


def preload(cuda_major: int) -> list[Path]:
    """What to preload for a program built for this CUDA version: the core first."""
    core = native_dir() / CORE
    if not core.exists():
        raise MayaError(
            "the emulated CUDA libraries are not built",
            hint="`make build` builds them in a checkout; `pip install maya-sim` brings them",
        )
    chosen = [lib.path for lib in libraries() if lib.cuda_major in (None, cuda_major)]
    if not any(cuda_major_of(path.name) == cuda_major for path in chosen):
        raise MayaError(
            f"there are no emulated libraries for CUDA {cuda_major}",
            hint="programs built for CUDA 12 and 13 are supported",
        )
    return [core, *chosen]
