"""Collectives inside one node: rings and NVLS over NVLink or PCIe, with fitted protocols."""

import json
import math
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from maya.estimate.collectives.formula import Protocol, link_bytes
from maya.hardware import Node

# Nodes without measurements of their own take the efficiencies of the nearest kind.
_NEAREST = {"nvswitch": "hgx-h100", "mesh": "hgx-v100", "pairs": "pairs-a100"}
# Operations without measurements, and those that move data alike.
_ALIKE = {
    "broadcast": ("all_gather", "all_reduce"),
    "reduce": ("reduce_scatter", "all_reduce"),
    "gather": ("alltoall", "all_gather", "all_reduce"),
    "scatter": ("alltoall", "all_gather", "all_reduce"),
    "sendrecv": ("alltoall", "all_reduce"),
    "alltoall": ("all_gather", "all_reduce"),
    "all_gather": ("all_reduce",),
    "reduce_scatter": ("all_reduce",),
    "all_reduce": ("sendrecv",),
}
# PCIe through the host bridge; from data sheets and experience, not fitted.
_PCIE = (Protocol("LL", 9.0, 0.3, 0.1), Protocol("Simple", 22.0, 0.8, 0.6))
_HOP_US = 0.7  # of a ring longer than any measured


@dataclass(frozen=True, slots=True)
class Timing:
    """An answer, and how much of it the links are busy."""

    time_us: float
    pure_us: float
    algorithm: str
    fitted: bool


class NodeModel:
    """Times for one kind of node."""

    def __init__(self, node: Node) -> None:
        self.node = node
        table = _fitted()
        self.own = node.id in table
        self.table = table.get(node.id) or table.get(_NEAREST.get(node.link, ""), {})

    def time(self, op: str, size: float, ranks: int, paired: bool = False) -> Timing:
        """The time of an operation on a buffer of `size` bytes."""
        over_pcie = self.node.link == "pcie" or (self.node.link == "pairs" and not paired)
        if over_pcie or not self.table:
            link = self.node.pcie_bytes_per_s if over_pcie else self.node.bandwidth_bytes_per_s
            transfer_us = link_bytes(op, size, ranks) / link * 1e6
            return _best(list(_PCIE), transfer_us, fitted=False)
        return self._over_nvlink(op, size, ranks)

    def _over_nvlink(self, op: str, size: float, ranks: int) -> Timing:
        names = (op, *_ALIKE.get(op, ()))
        known = next(name for name in (*names, *self.table) if name in self.table)
        by_ranks = self.table[known]
        fitted = self.own and known == op
        transfer_us = link_bytes(op, size, ranks) / self.node.bandwidth_bytes_per_s * 1e6
        counts = sorted(by_ranks)
        below = max((n for n in counts if n <= ranks), default=counts[0])
        above = min((n for n in counts if n >= ranks), default=counts[-1])
        first = _best(by_ranks[below], transfer_us, fitted=fitted)
        if ranks > above:
            extra_us = _HOP_US * (ranks - above)
            return Timing(first.time_us + extra_us, first.pure_us, first.algorithm, False)
        if below == above:
            return first
        second = _best(by_ranks[above], transfer_us, fitted=fitted)
        weight = math.log(ranks / below) / math.log(above / below)
        return Timing(
            first.time_us ** (1 - weight) * second.time_us**weight,
            first.pure_us ** (1 - weight) * second.pure_us**weight,
            second.algorithm,
            fitted,
        )


def _best(protocols: list[Protocol], transfer_us: float, *, fitted: bool) -> Timing:
    chosen = min(protocols, key=lambda protocol: protocol.time_us(transfer_us))
    name = "nvls" if chosen.name == "NVLS" else f"ring/{chosen.name}"
    pure_us = transfer_us / chosen.efficiency
    return Timing(chosen.time_us(transfer_us), pure_us, name, fitted)


@cache
def _fitted() -> dict[str, dict[str, dict[int, list[Protocol]]]]:
    text = files("maya.estimate").joinpath("data/collectives.json").read_text("utf-8")
    return {
        node: {
            op: {int(n): [Protocol(*row) for row in rows] for n, rows in by_ranks.items()}
            for op, by_ranks in ops.items()
        }
        for node, ops in json.loads(text).items()
    }
