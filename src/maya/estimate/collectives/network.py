"""Collectives over several nodes, rank by rank as NCCL runs them.

A ring passes every rank: most of its steps stay inside a node, some cross the network. A tree has a
chain in each node and doubles from node to node; with NVLS the switch takes the chain's place. Each
protocol (LL, LL128, Simple) pays its own latency for a step and gets its own share of the NICs;
NCCL takes about the fastest. The form and the start of the fit are those of NCCL's own tuner.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from maya.estimate.collectives.formula import link_bytes
from maya.estimate.parameters import load
from maya.hardware import Fabric

_USUAL_LATENCY_US = 2.5  # of the networks whose steps were fitted
PAIR = 0.80  # of the NIC's rate between two GPUs, from the two-node rows of nccl_tests_cluster_h100
_RING_ONCE = ("all_gather", "reduce_scatter", "broadcast", "reduce")
_SPREAD = ("alltoall", "gather", "scatter")


@dataclass(frozen=True, slots=True)
class Group:
    """Who takes part: ranks spread evenly over nodes."""

    nodes: int
    per_node: int
    nvls: bool = False

    @property
    def ranks(self) -> int:
        """All of them."""
        return self.nodes * self.per_node

    @property
    def doublings(self) -> int:
        """Levels of a binary tree of nodes."""
        return math.ceil(math.log2(max(2, self.nodes)))


@dataclass(frozen=True, slots=True)
class Steps:
    """Of one protocol."""

    name: str
    start_us: float
    inside_us: float  # from GPU to GPU of a node
    across_us: float  # over the network
    share: float  # of the NICs' rate


@dataclass(frozen=True, slots=True)
class NetworkParameters:
    """What the fit found."""

    protocols: tuple[Steps, ...]
    tree_share: float  # of a ring's, over the same protocol
    nvls_share: float  # of the NICs' rate
    nvls_start_us: float
    fill: float  # us for each root of a us of pure transfer, where chunks are large
    spread_share: float  # of the NICs' rate, all to all
    spread_start_us: float
    peer_us: float  # each peer of an all to all
    added_us: dict[str, float]  # of a step across, by kind of network


@cache
def network_parameters() -> NetworkParameters:
    """As shipped."""
    return as_parameters(load("network.json"))


def as_parameters(values: dict[str, object]) -> NetworkParameters:
    """From what is stored."""
    named = dict(values)
    protocols = tuple(Steps(*row) for row in named.pop("protocols"))  # type: ignore[attr-defined]
    return NetworkParameters(protocols, **named)  # type: ignore[arg-type]


def network_time_us(
    fabric: Fabric,
    op: str,
    size: float,
    group: Group,
    inside_us: float = 0.0,
    fitted: NetworkParameters | None = None,
) -> tuple[float, float, str]:
    """Time, time that the NICs are busy, and the algorithm.

    Chunks are pipelined: the slower of network and node sets the pace, so `inside_us` is what the
    node's own links are busy at least."""
    known = fitted or network_parameters()
    extra_us = known.added_us.get(fabric.kind, fabric.latency_ns / 1e3 - _USUAL_LATENCY_US)
    if op in (*_RING_ONCE, "all_reduce"):
        pure_us = size / _nics_bytes_per_s(fabric, group) * 1e6
        found = _algorithms(op, pure_us, group, max(0.0, extra_us), fabric.reduction, known)
        latency_us, busy_us, name = min(found, key=lambda way: way[0] + max(inside_us, way[1]))
        return latency_us + max(inside_us, busy_us), busy_us, name
    if op in _SPREAD:
        return _spread(fabric, size, group, inside_us, known)
    busy_us = size / (PAIR * fabric.nic_bytes_per_s) * 1e6
    simple = known.protocols[-1]
    return simple.start_us + simple.across_us + max(0.0, extra_us) + busy_us, busy_us, "p2p"


def _nics_bytes_per_s(fabric: Fabric, group: Group) -> float:
    """Each GPU of a node sends over the NIC of its own rail, as far as there are rails."""
    nics = min(group.per_node, fabric.rails * max(1, group.per_node // fabric.rails))
    return nics * fabric.nic_bytes_per_s


def _algorithms(
    op: str, pure_us: float, group: Group, extra_us: float, reduction: bool, fit: NetworkParameters
) -> Iterator[tuple[float, float, str]]:
    """Latency, busy time and name of each way: `pure_us` is one walk over all NICs of a node."""
    twice = 2 if op == "all_reduce" else 1
    steps = twice * (group.ranks - 1)
    across = min(steps, twice * group.nodes)
    ring_us = link_bytes(op, pure_us, group.ranks)
    # Two nodes exchange a tree's bytes once; in larger trees a node has children and a parent.
    tree_us = pure_us if group.nodes == 2 or reduction else 2 * pure_us
    for protocol in fit.protocols:
        hop_us = protocol.across_us + extra_us
        latency_us = protocol.start_us + (steps - across) * protocol.inside_us + across * hop_us
        yield _filled(protocol, latency_us, ring_us / protocol.share, fit, "ring")
        if op == "all_reduce":
            chain_us = (group.per_node - 1) * protocol.inside_us + group.doublings * hop_us
            busy_us = max(ring_us, tree_us) / protocol.share / fit.tree_share
            yield _filled(protocol, protocol.start_us + 2 * chain_us, busy_us, fit, "tree")
    if op == "all_reduce" and group.nvls and group.per_node > 1:
        hop_us = fit.protocols[-1].across_us + extra_us
        saved = 1.0 if group.nodes == 2 or reduction else 2 * (group.nodes - 1) / group.nodes
        busy_us = pure_us * saved / fit.nvls_share
        latency_us = fit.nvls_start_us + 2 * group.doublings * hop_us
        yield latency_us + fit.fill * math.sqrt(busy_us), busy_us, "nvls tree"


def _filled(
    protocol: Steps, latency_us: float, busy_us: float, fit: NetworkParameters, name: str
) -> tuple[float, float, str]:
    """Large chunks of Simple fill a pipeline before they flow."""
    filling_us = fit.fill * math.sqrt(busy_us) if protocol.name == "Simple" else 0.0
    return latency_us + filling_us, busy_us, f"{name}/{protocol.name}"


def _spread(
    fabric: Fabric, size: float, group: Group, inside_us: float, fit: NetworkParameters
) -> tuple[float, float, str]:
    """Every rank has a message for every other; those for other nodes cross its own NIC."""
    away = size * (group.ranks - group.per_node) / group.ranks
    share = fit.spread_share if group.per_node > 1 else PAIR
    busy_us = away / (share * fabric.nic_bytes_per_s) * 1e6
    start_us = fit.spread_start_us + fit.peer_us * (group.ranks - 1)
    return start_us + max(inside_us, busy_us), busy_us, "p2p"
