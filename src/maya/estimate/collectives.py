"""The duration of collectives and of send/recv over a cluster."""

from dataclasses import dataclass

from maya.estimate.types import Source
from maya.hardware import Cluster


@dataclass(frozen=True, slots=True)
class CollectiveCall:
    """A call as NCCL sees it. `bytes` is count times element size, as in NCCL's signature."""

    op: str
    bytes: int
    members: tuple[int, ...]  # ranks of the job; they fill one node after the other


@dataclass(frozen=True, slots=True)
class CollectiveEstimate:
    """How long it takes alone, and how much of its links it keeps busy."""

    duration_ns: int
    source: Source
    uncertainty: float
    link_share: float
    over_network: bool
    algorithm: str


class CollectiveModel:
    """Estimates for one cluster."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    def estimate(self, call: CollectiveCall) -> CollectiveEstimate:
        n = max(2, len(call.members))
        over = len({self.cluster.node_of(m) for m in call.members}) > 1
        bw = 0.8 * (
            self.cluster.fabric.nic_bytes_per_s if over else self.cluster.node.bandwidth_bytes_per_s
        )
        t = 10_000 + 2 * (n - 1) / n * call.bytes / bw * 1e9
        return CollectiveEstimate(round(t), Source.ASSUMED, 0.3, 0.9, over, "ring")
