"""Where the ranks of a job would run, and the environment each of them would find."""

import socket
import uuid
from dataclasses import dataclass

from maya.emulate.launcher import LOCAL_RANK_WORD, Launch
from maya.errors import MayaError

_LOCALHOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Layout:
    """Ranks fill one node after the other."""

    launch: Launch
    nodes: int
    per_node: int
    port: int

    @property
    def world_size(self) -> int:
        """All ranks."""
        return self.nodes * self.per_node

    def argv(self, rank: int) -> tuple[str, ...]:
        """The command of a rank."""
        local = str(rank % self.per_node)
        return tuple(word.replace(LOCAL_RANK_WORD, local) for word in self.launch.argv)

    def environment(self, rank: int) -> dict[str, str]:
        """As torchrun sets it."""
        node, local = divmod(rank, self.per_node)
        world, run_id = str(self.world_size), uuid.uuid5(uuid.NAMESPACE_OID, str(self.port)).hex
        return {
            "RANK": str(rank),
            "LOCAL_RANK": str(local),
            "WORLD_SIZE": world,
            "LOCAL_WORLD_SIZE": str(self.per_node),
            "GROUP_RANK": str(node),
            "NODE_RANK": str(node),
            "GROUP_WORLD_SIZE": str(self.nodes),
            "ROLE_NAME": "default",
            "ROLE_RANK": str(rank),
            "ROLE_WORLD_SIZE": world,
            "MASTER_ADDR": _LOCALHOST,
            "MASTER_PORT": str(self.port),
            "TORCHELASTIC_RESTART_COUNT": "0",
            "TORCHELASTIC_MAX_RESTARTS": "0",
            "TORCHELASTIC_RUN_ID": run_id[:8],
            "TORCHELASTIC_USE_AGENT_STORE": "False",
            "TORCH_NCCL_ASYNC_ERROR_HANDLING": "1",
            # Their threads ask the store, which ends with rank 0 and not with a launcher.
            "TORCH_NCCL_ENABLE_MONITORING": "0",
            "TORCH_NCCL_DUMP_ON_TIMEOUT": "0",
        } | self.launch.own


def place(launch: Launch, nodes: int, per_node: int) -> Layout:
    """Put the ranks of a command on a cluster, or say why they do not fit."""
    each = launch.per_node or per_node
    if each > per_node:
        raise MayaError(
            f"the command starts {each} ranks a node, but a node has {per_node} GPUs",
            hint="name a cluster with more GPUs a node, or start fewer ranks",
        )
    if launch.nodes is not None and launch.nodes > nodes:
        raise MayaError(
            f"the command starts ranks on {launch.nodes} nodes, but the cluster has {nodes}",
            hint=f"name a larger cluster, such as gpu:{per_node}x{launch.nodes}",
        )
    used = launch.nodes or nodes
    world = launch.env.get("MAYA_WORLD")
    if world is not None and int(world) != used * each:
        raise MayaError(
            f"WORLD_SIZE is {world}, but {used} x {each} GPUs make {used * each} ranks",
            hint="set LOCAL_WORLD_SIZE too, or unset both and use torchrun",
        )
    return Layout(launch, used, each, _port(launch.port))


def _port(wanted: int | None) -> int:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_LOCALHOST, wanted or 0))
        except OSError as error:
            raise MayaError(
                f"port {wanted} is in use", hint="give another --master-port, or none"
            ) from error
        return int(probe.getsockname()[1])
