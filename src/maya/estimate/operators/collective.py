"""Collectives of all GPUs of a cluster, by the model that recorded ones are given to."""

from math import prod

from maya.estimate.collectives import CollectiveCall, CollectiveModel
from maya.estimate.operators.compute import BYTES, Asked, wrong
from maya.estimate.types import Estimate
from maya.hardware import Cluster

# NCCL's function, and whether its count is a share of what a rank gives.
COLLECTIVES = {
    "all_reduce": ("ncclAllReduce", False),
    "all_gather": ("ncclAllGather", False),
    "reduce_scatter": ("ncclReduceScatter", True),
    "all_to_all": ("ncclAlltoAll", True),
    "broadcast": ("ncclBroadcast", False),
    "send_recv": ("ncclSend", False),
}
_PAIR = "send_recv"


def collective(asked: Asked, cluster: Cluster) -> Estimate:
    """The shape is of the tensor that each rank gives."""
    if len(asked.shapes) != 1:
        raise wrong(asked, "one shape: of what each rank gives")
    function, shared = COLLECTIVES[asked.op]
    ranks = cluster.per_node * cluster.nodes
    given = prod(asked.shapes[0]) * BYTES[asked.dtype]
    members = (0, ranks - 1) if asked.op == _PAIR else tuple(range(ranks))
    call = CollectiveCall(function, int(given // ranks if shared else given), members)
    found = CollectiveModel(cluster).estimate(call)
    return Estimate(found.duration_ns, found.source, found.uncertainty, bytes=given)
