"""How large a message NCCL takes off its sender before anybody receives it.

A send is over when its bytes lie in the buffers of its connection: eight chunks for each of its
channels, by NCCL's public source. Small messages go by another protocol, whose buffers hold all
that is sent by it. Of what the source leaves to the machine the largest is taken, so that a job is
said to hang only where it must.
"""

import math
from collections.abc import Sequence

from maya.hardware import Cluster

_CHUNKS = 8  # NCCL_STEPS
_NVLINK_CHUNK_BYTES = 512 * 1024  # NCCL_P2P_NVL_CHUNKSIZE
_OTHER_CHUNK_BYTES = 128 * 1024  # NCCL_P2P_NET_CHUNKSIZE and NCCL_P2P_PCI_CHUNKSIZE
_MOST_CHANNELS = 32
_PCIE_CHANNELS = 2
_FEWEST_NETWORK_CHANNELS = 2
_NETWORK_CHANNEL_BYTES_PER_S = 14e9


def buffered_bytes(cluster: Cluster, members: Sequence[int]) -> int:
    """The largest message that a member of a communicator sends without its receiver."""
    if len({cluster.node_of(member) for member in members}) > 1:
        return _CHUNKS * _OTHER_CHUNK_BYTES * _network_channels(cluster)
    if _joined_by_nvlink(cluster, members):
        return _CHUNKS * _NVLINK_CHUNK_BYTES * _nvlink_channels(cluster)
    return _CHUNKS * _OTHER_CHUNK_BYTES * _PCIE_CHANNELS


def _joined_by_nvlink(cluster: Cluster, members: Sequence[int]) -> bool:
    """Bridges join two cards; in a mesh some members may not see each other, which is ignored."""
    link = cluster.node.link
    return link in ("nvswitch", "mesh") or (link == "pairs" and len({m // 2 for m in members}) == 1)


def _nvlink_channels(cluster: Cluster) -> int:
    return min(_MOST_CHANNELS, _next_power(2 * max(1, cluster.gpu.nvlinks)))


def _network_channels(cluster: Cluster) -> int:
    rate = cluster.fabric.nic_bytes_per_s / _NETWORK_CHANNEL_BYTES_PER_S
    return _next_power(max(_FEWEST_NETWORK_CHANNELS, math.ceil(rate)))


def _next_power(count: int) -> int:
    return 1 << (count - 1).bit_length()
