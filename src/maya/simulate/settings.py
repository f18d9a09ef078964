"""The engine's constants for a cluster."""

from maya.hardware import Cluster
from maya.simulate.program import WHOLE_SHARE, Settings

# Thread blocks that communication keeps resident, hence SMs lost to other kernels. NCCL runs one
# block a channel; 16 is usual on NVSwitch machines (NCCL_DEBUG=INFO shows the number).
COMMUNICATION_SMS = 16


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
