"""How fast the hosts of a cluster are, against the machine that emulates."""

from maya.hardware import Cluster, Host
from maya.trace import Run

EMULATING_HOST = "same"  # the profile that asks for CPU times as they were measured
FULL_SERVER = 8  # ranks that `crowding` of a host speaks of


def host_factor(run: Run, cluster: Cluster) -> float:
    """CPU time on the cluster's host over that measured while emulating."""
    return host_pace(cluster.host, run.yardstick_ns)


def host_pace(host: Host, yardstick_ns: int | None) -> float:
    """CPU time on this host over that of the machine on which the yardstick took so long."""
    if host.id == EMULATING_HOST:
        return 1.0
    here = host.reference_ns / yardstick_ns if yardstick_ns else 1.0
    return here / host.speed


def crowded(cluster: Cluster, ranks: int) -> Cluster:
    """The cluster with hosts as fast as they are for each of the ranks that share them."""
    host, beside = cluster.host, min(ranks, cluster.per_node) - 1
    slowdown = 1 + (host.crowding - 1) * min(1.0, beside / (FULL_SERVER - 1))
    slower = host.model_copy(update={"speed": host.speed / slowdown})
    return cluster.model_copy(update={"host": slower})
