"""How long collectives take: inside a node by a fitted curve, between nodes by rings and trees."""

from maya.estimate.collectives.buffers import buffered_bytes
from maya.estimate.collectives.model import CollectiveCall, CollectiveEstimate, CollectiveModel

__all__ = ["CollectiveCall", "CollectiveEstimate", "CollectiveModel", "buffered_bytes"]
