"""What an emulated program may really write: caches that make the next run faster.

Only what is downloaded or compiled from sources is listed. What a device computed would be zeros
here, so caches of results (Hugging Face's processed datasets, for one) are not.
"""

import contextlib
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

# A variable that names the directory, and where it is without: first below another variable's
# directory, then below the user's cache.
_CACHES = (
    ("TORCHINDUCTOR_CACHE_DIR", None, None),
    ("TRITON_CACHE_DIR", None, None),
    ("TORCH_EXTENSIONS_DIR", None, "torch_extensions"),
    (None, ("TORCH_HOME", "hub"), "torch/hub"),
    ("HF_HUB_CACHE", ("HF_HOME", "hub"), "huggingface/hub"),
    (None, ("HF_HOME", "xet"), "huggingface/xet"),
    (None, ("HF_HOME", "datasets/downloads"), "huggingface/datasets/downloads"),
    ("NUMBA_CACHE_DIR", None, None),
    ("PIP_CACHE_DIR", None, "pip"),
    ("UV_CACHE_DIR", None, "uv"),
    (None, None, "flashinfer"),
    (None, None, "matplotlib"),
    (None, None, "maya"),
)


def cache_directories(env: Mapping[str, str]) -> list[Path]:
    """Without links, as the layer compares them."""
    home = Path(env.get("XDG_CACHE_HOME") or Path(env.get("HOME") or Path.home()) / ".cache")
    found: list[Path] = []
    for variable, within, default in _CACHES:
        if variable and env.get(variable):
            found.append(Path(env[variable]))
        elif within and env.get(within[0]):
            found.append(Path(env[within[0]]) / within[1])
        elif default:
            found.append(home / default)
    return [path.expanduser().resolve() for path in found]


def keep_caches(tree: Path, env: Mapping[str, str]) -> None:
    """After a run: caches that did not exist before it, and compiled Python modules."""
    for cache in cache_directories(env):
        held = tree / str(cache).lstrip("/")
        if held.is_dir() and not cache.exists():
            with contextlib.suppress(OSError):
                cache.parent.mkdir(parents=True, exist_ok=True)
                shutil.move(held, cache)
    for held in _compiled_modules(tree):
        _move_compiled(held, Path("/") / held.relative_to(tree))


def _compiled_modules(tree: Path) -> Iterator[Path]:
    for directory, _, names in os.walk(tree):
        if Path(directory).name == "__pycache__":
            yield from (Path(directory, name) for name in names if name.endswith(".pyc"))


def _move_compiled(held: Path, place: Path) -> None:
    """Of a source that is the user's own: the program may have written another in the layer."""
    source = place.name.partition(".")[0] + ".py"
    ours = held.parent.parent / source
    if ours.exists() or not (place.parent.parent / source).exists():
        return
    with contextlib.suppress(OSError):
        place.parent.mkdir(exist_ok=True)
        temporary = place.with_name(f"{place.name}.{os.getpid()}")
        shutil.move(held, temporary)
        temporary.replace(place)
