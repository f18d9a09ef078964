"""The duration of collectives and of send/recv over a cluster."""

import math
from collections import Counter
from dataclasses import dataclass

from maya.estimate.collectives.network import Group, network_time_us
from maya.estimate.collectives.node import NodeModel, Timing
from maya.estimate.types import Source
from maya.hardware import Cluster

_OPS = {
    "ncclAllReduce": "all_reduce",
    "ncclAllGather": "all_gather",
    "ncclReduceScatter": "reduce_scatter",
    "ncclAlltoAll": "alltoall",
    "ncclBroadcast": "broadcast",
    "ncclReduce": "reduce",
    "ncclGather": "gather",
    "ncclScatter": "scatter",
}
_PER_RANK = ("all_gather", "reduce_scatter", "alltoall", "gather", "scatter")  # count is one rank's
FITTED, DERIVED, NETWORK = 0.08, 0.2, 0.2  # relative errors, one sigma
# Networks that jobs share: repeated runs of one size differ several times over.
_SHARED = {"efa": 0.35}
LOCAL_US = 3.0  # a collective of one rank is a copy kernel


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
    """Estimates for one cluster; each kind of call is worked out once."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.node = NodeModel(cluster.node)
        self._known: dict[CollectiveCall, CollectiveEstimate] = {}

    def estimate(self, call: CollectiveCall) -> CollectiveEstimate:
        """The estimate of a call."""
        if call not in self._known:
            self._known[call] = self._estimate(call)
        return self._known[call]

    def _estimate(self, call: CollectiveCall) -> CollectiveEstimate:
        ranks = len(call.members)
        op = _OPS.get(call.op, "sendrecv")
        size = call.bytes * (ranks if op in _PER_RANK else 1)
        if ranks < 2 or len(set(call.members)) < 2:
            local_us = LOCAL_US + 2e6 * size / self.cluster.gpu.memory_bandwidth_bytes_per_s
            return self._result(local_us, 0.0, Source.ANALYTICAL, DERIVED, False, "copy")
        per_node = Counter(map(self.cluster.node_of, call.members))
        if len(per_node) == 1:
            timing = self.node.time(op, size, ranks, self._paired(call.members))
            return self._in_node(timing)
        return self._over_nodes(op, size, per_node)

    def _in_node(self, timing: Timing) -> CollectiveEstimate:
        source = Source.LEARNED if timing.fitted else Source.ANALYTICAL
        error = FITTED if timing.fitted else DERIVED
        share = timing.pure_us / timing.time_us
        return self._result(timing.time_us, share, source, error, False, timing.algorithm)

    def _over_nodes(self, op: str, size: float, per_node: Counter[int]) -> CollectiveEstimate:
        each = min(per_node.values())
        inside_us = 0.0
        if each > 1 and op != "sendrecv":
            inside_us = self.node.time(op, size, each, paired=each == 2).pure_us
        group = Group(len(per_node), each, self.cluster.node.nvls)
        time_us, pure_us, name = network_time_us(self.cluster.fabric, op, size, group, inside_us)
        share = pure_us / time_us
        error = _SHARED.get(self.cluster.fabric.kind, NETWORK)
        return self._result(time_us, share, Source.ANALYTICAL, error, True, name)

    def _paired(self, members: tuple[int, ...]) -> bool:
        """Whether all members are the two cards of one bridge."""
        return len({member // 2 for member in members}) == 1

    @staticmethod
    def _result(
        time_us: float, share: float, source: Source, error: float, network: bool, name: str
    ) -> CollectiveEstimate:
        duration_ns = max(1, math.ceil(time_us * 1e3))
        return CollectiveEstimate(duration_ns, source, error, min(1.0, share), network, name)
