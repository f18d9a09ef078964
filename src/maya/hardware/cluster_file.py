"""A cluster described by its user."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from maya.errors import MayaError
from maya.hardware.catalogue import find_gpu
from maya.hardware.cluster import MOST_A_NODE, MOST_NODES, Cluster
from maya.hardware.model import Gpu
from maya.hardware.yaml_file import Lines, line_of, load, validate
from maya.user_files import read_user_text

_NESTED = ("node", "fabric", "host", "price")
_CUSTOM = "custom"  # a part that nobody measured


class ClusterFile(BaseModel):
    """The keys of a cluster file; what is left out is as usual for the GPU."""

    model_config = ConfigDict(extra="forbid")

    name: str | None = None
    gpu: str | dict[str, Any]
    per_node: Annotated[int, Field(gt=0, le=MOST_A_NODE)]
    nodes: Annotated[int, Field(gt=0, le=MOST_NODES)] = 1
    node: dict[str, Any] = Field(default_factory=dict)
    fabric: dict[str, Any] = Field(default_factory=dict)
    host: dict[str, Any] = Field(default_factory=dict)
    price: dict[str, Any] = Field(default_factory=dict)


def read_cluster_file(path: Path, usual: Callable[[Gpu, int, int], Cluster]) -> Cluster:
    """A cluster from YAML; mistakes are named with their line."""
    data, lines = load(read_user_text(path), path.name)
    given = validate(ClusterFile, data, lines, path.name)
    base, gpu = _gpu(given.gpu, lines, path.name)
    # Nodes of any size may be described, so the usual one is asked for at a size that exists.
    template = usual(base, 1, given.nodes)
    merged: dict[str, Any] = {
        "name": given.name or path.stem,
        "gpu": gpu,
        "per_node": given.per_node,
        "nodes": given.nodes,
    }
    for key in _NESTED:
        usual_part = getattr(template, key)
        part = usual_part.model_dump() if usual_part else {"date": "", "source": path.name}
        changes = getattr(given, key)
        if key == "node" and changes.get("link", part["link"]) != part["link"]:
            changes = {"id": _CUSTOM} | changes  # what was measured of the usual node holds no more
        merged[key] = part | ({"source": path.name} | changes if changes else {})
    if template.price is None and not given.price:
        merged["price"] = None
    return validate(Cluster, merged, lines, path.name)


def _gpu(given: str | dict[str, Any], lines: Lines, name: str) -> tuple[Gpu, Gpu]:
    """The catalogue's GPU, and the same with the user's changes."""
    at = line_of(lines, ("gpu",))
    if isinstance(given, str):
        found = find_gpu(given)
        return found, found
    if "base" not in given:
        raise MayaError(
            f"{name}, line {at}: missing key 'gpu.base'",
            hint="a custom GPU starts from one of the catalogue: gpu: {base: h100, ...}",
        )
    base = find_gpu(str(given["base"]))
    changes = {key: value for key, value in given.items() if key != "base"}
    sources = base.sources | dict.fromkeys(changes, name)
    merged = base.model_dump() | changes | {"sources": sources}
    merged.setdefault("id", base.id)
    return base, validate(Gpu, merged, lines, name, ("gpu",))
