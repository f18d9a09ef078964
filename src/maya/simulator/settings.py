"""The engine's constants for a cluster."""

from maya.hardware import Cluster
from maya.simulator.program import WHOLE_SHARE, Settings

# Thread blocks that communication keeps resident, hence SMs lost to other kernels. NCCL runs one
# block a channel, 16 to 32 on NVSwitch machines (NCCL_DEBUG=INFO shows the number), and its copies
# take bandwidth of memory from kernels beside it: published steps ask for more than the 16 blocks.
COMMUNICATION_SMS = 24


def settings_for(
    cluster: Cluster, *, share_links: bool = True, share_devices: bool = True
) -> Settings:
    """Launch costs of the cluster's hosts, and the sharing models."""
    host = cluster.host
    taken = min(WHOLE_SHARE - 1, WHOLE_SHARE * COMMUNICATION_SMS // cluster.gpu.sm_count)
    return Settings(
        launch_latency_ns=host.launch_latency_ns,
        gap_ns=host.gap_ns,
        queue_limit=host.queue_limit,
        share_links=share_links,
        share_devices=share_devices,
        comm_share=taken,
    )
