"""Loads data/: one YAML file per GPU, over facts shared by its compute capability."""

import difflib
import re
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from maya.errors import MayaError
from maya.hardware.model import Gpu

_DATA = files("maya.hardware").joinpath("data")
_AMD = re.compile(r"(amd-?)?(instinct-?)?mi\d{2,3}[a-z]?$")


@cache
def _capabilities() -> dict[str, dict[str, Any]]:
    text = _DATA.joinpath("compute_capabilities.yaml").read_text("utf-8")
    loaded: dict[str, dict[str, Any]] = yaml.safe_load(text)
    return loaded


@cache
def list_gpus() -> tuple[Gpu, ...]:
    """Every GPU of the catalogue, by id."""
    entries = _DATA.joinpath("gpus").iterdir()
    texts = [entry.read_text("utf-8") for entry in entries if entry.name.endswith(".yaml")]
    return tuple(sorted((parse_gpu(text) for text in texts), key=lambda gpu: gpu.id))


def find_gpu(name: str) -> Gpu:
    """The GPU with this id, alias or marketing name, whatever the case."""
    index = _index()
    found = index.get(_key(name))
    if found is None and _AMD.match(_key(name)):
        raise MayaError(
            f"{name!r} is an AMD GPU, and AMD GPUs are not emulated",
            hint="Maya stands in for CUDA; `maya hw list` shows the GPUs it knows",
        )
    if found is None:
        near = difflib.get_close_matches(_key(name), index, n=3, cutoff=0.4)
        ids = list(dict.fromkeys(index[match].id for match in near))
        hint = f"did you mean {' or '.join(ids)}? " if ids else ""
        raise MayaError(f"unknown GPU {name!r}", hint=hint + "`maya hw list` shows all of them")
    return found


def parse_gpu(text: str) -> Gpu:
    """A GPU file: plain facts are `name: [value, key of sources]`."""
    raw: dict[str, Any] = yaml.safe_load(text)
    texts: dict[str, str] = raw.pop("sources")
    described = {key: raw.pop(key) for key in ("id", "name", "aliases", "architecture")}
    shared = dict(_capabilities()[raw.pop("compute_capability")])
    shared_source = shared.pop("source")
    values = {key: value for key, (value, _) in raw.items()}
    sources = {key: texts[source] for key, (_, source) in raw.items()}
    return Gpu(
        **described,
        **(shared | values),
        sources=dict.fromkeys(shared, shared_source) | sources,
    )


def _key(name: str) -> str:
    return "".join(name.lower().replace("_", "-").split())


@cache
def _index() -> dict[str, Gpu]:
    return {_key(n): gpu for gpu in list_gpus() for n in (gpu.id, gpu.name, *gpu.aliases)}
