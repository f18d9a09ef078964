"""Collectives over several nodes: rings or trees over the rails, and what happens inside a node.

Each GPU of a node sends over the NIC of its own rail, so a node has as many NICs as it has members,
up to its rails. Chunks are pipelined: the slower of network and node sets the pace.
"""

import math

from maya.estimate.collectives_formula import link_bytes, tree_hops
from maya.hardware import Fabric

START_US = 15.0
HOP_US = 6.0  # besides the fabric's own latency: proxy thread, GPU flags
# Of the NIC's rate, from the two-node rows of nccl_tests_cluster_h100 (see docs/simulation.md).
RING, PAIR, SPREAD = 0.92, 0.80, 0.95
FILL = 3.0  # us per square root of a us of pure transfer
TREE_LOSS = 0.92


def network_time_us(
    fabric: Fabric, op: str, size: float, ranks: int, nodes: int, per_node: int, inside_us: float
) -> tuple[float, float, str]:
    """Time, time that the NICs are busy, and the algorithm."""
    hop_us = HOP_US + fabric.latency_ns / 1e3
    if op == "sendrecv":
        pure = size / (PAIR * fabric.nic_bytes_per_s) * 1e6
        return START_US + hop_us + _filled(pure), pure, "p2p"
    if op in ("alltoall", "gather", "scatter"):
        away = size * (ranks - per_node) / ranks  # what leaves each GPU's node
        rate = (SPREAD if per_node > 1 else PAIR) * fabric.nic_bytes_per_s
        pure = away / rate * 1e6
        return START_US + hop_us + max(inside_us, _filled(pure)), pure, "p2p"
    nics = min(per_node, fabric.rails * max(1, per_node // fabric.rails))
    pure = link_bytes(op, size, ranks) / (RING * nics * fabric.nic_bytes_per_s) * 1e6
    if fabric.reduction and op == "all_reduce":
        pure /= 2  # each byte crosses the NIC once
    rounds = 2 if op == "all_reduce" else 1
    ring = START_US + rounds * (nodes - 1) * hop_us + max(inside_us, _filled(pure))
    if op != "all_reduce":
        return ring, pure, "hierarchical ring"
    tree = START_US + tree_hops(nodes) * hop_us + max(inside_us, _filled(pure / TREE_LOSS))
    return (tree, pure / TREE_LOSS, "tree") if tree < ring else (ring, pure, "hierarchical ring")


def _filled(pure_us: float) -> float:
    return pure_us + FILL * math.sqrt(pure_us)
