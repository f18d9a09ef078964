"""Clusters by name (`h100:8x4`) or from a YAML file."""

import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from maya.errors import MayaError
from maya.hardware.catalogue import find_gpu
from maya.hardware.cluster import Cluster, Fabric, Host, Node, Price
from maya.hardware.cluster_file import read_cluster_file
from maya.hardware.model import Gpu

_DATA = files("maya.hardware").joinpath("data")
_NAME = re.compile(
    r"(?P<gpu>[A-Za-z][\w.-]*)(?::(?P<per_node>\d+)(?:[xX](?P<nodes>\d+))?)?"
    r"(?:@(?P<fabric>[\w-]+))?"
)
_LARGEST = 1 << 20  # GPUs


def find_cluster(name: str) -> Cluster:
    """`gpu[:per_node[xnodes]][@fabric]`, or the path of a YAML file."""
    if name.endswith((".yaml", ".yml")) or "/" in name:
        return read_cluster_file(Path(name), default_cluster)
    match = _NAME.fullmatch(name.strip())
    if match is None:
        raise MayaError(
            f"{name!r} is not a cluster",
            hint="write GPU:GPUS_PER_NODE, as h100:8, or with nodes h100:8x4, or give a YAML file",
        )
    per_node, nodes = int(match["per_node"] or 1), int(match["nodes"] or 1)
    if not 1 <= per_node * nodes <= _LARGEST:
        raise MayaError(f"{name}: a cluster has between 1 and {_LARGEST:,} GPUs")
    usual = default_cluster(find_gpu(match["gpu"]), per_node, nodes)
    if not (fabric := match["fabric"]):
        return usual
    parts: dict[str, Any] = {"fabric": find_fabric(fabric), "name": f"{usual.name}@{fabric}"}
    if host := _load("fabrics")[fabric].get("host"):
        parts["host"] = find_host(host)
    return usual.model_copy(update=parts)


def default_cluster(gpu: Gpu, per_node: int, nodes: int) -> Cluster:
    """The usual node and network of a GPU model."""
    described = _node_of(gpu)
    if per_node > (largest := described["per_node"]):
        raise MayaError(
            f"a node of {gpu.id} holds at most {largest} GPUs, not {per_node}",
            hint=f"{gpu.id}:{largest}x{-(-per_node // largest)} has that many; "
            "other nodes can be described in a YAML file",
        )
    name = f"{gpu.id}:{per_node}" + (f"x{nodes}" if nodes > 1 else "")
    return Cluster(
        name=name,
        gpu=gpu,
        per_node=per_node,
        nodes=nodes,
        node=find_node(described["id"]),
        fabric=find_fabric(described["fabric"]),
        host=find_host(described["host"]),
        price=find_price(gpu),
    )


def find_node(name: str) -> Node:
    """A node of data/nodes.yaml."""
    entry = dict(_entry("nodes", name, "node"))
    for key in ("gpus", "per_node", "fabric", "host"):
        entry.pop(key)
    return Node(id=name, **entry)


def find_fabric(name: str) -> Fabric:
    """A network of data/fabrics.yaml."""
    entry = dict(_entry("fabrics", name, "fabric"))
    entry.pop("host", None)
    return Fabric(id=name, **entry)


def find_host(name: str) -> Host:
    """A CPU of data/hosts.yaml."""
    loaded = _load("hosts")
    if name not in loaded["hosts"]:
        raise MayaError(f"unknown host {name!r}", hint=f"known: {', '.join(loaded['hosts'])}")
    return Host(id=name, **(loaded["defaults"] | loaded["hosts"][name]))


def find_price(gpu: Gpu) -> Price | None:
    """What a GPU costs, if known."""
    loaded = _load("prices")
    if gpu.id not in loaded["usd_per_gpu_hour"]:
        return None
    usd, key = loaded["usd_per_gpu_hour"][gpu.id]
    source = loaded["sources"][key]
    return Price(usd_per_gpu_hour=usd, date=str(source["date"]), source=source["text"])


def _node_of(gpu: Gpu) -> dict[str, Any]:
    for name, entry in _load("nodes").items():
        if gpu.id in entry["gpus"]:
            found: dict[str, Any] = entry | {"id": name}
            return found
    raise MayaError(f"no node is known for {gpu.id}", hint="describe one in a YAML file")


def _entry(file: str, name: str, what: str) -> dict[str, Any]:
    loaded = _load(file)
    if name not in loaded:
        raise MayaError(f"unknown {what} {name!r}", hint=f"known: {', '.join(loaded)}")
    found: dict[str, Any] = loaded[name]
    return found


@cache
def _load(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(_DATA.joinpath(f"{name}.yaml").read_text("utf-8"))
    return loaded
