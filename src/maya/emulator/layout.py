"""Where the ranks of a job would run, and the environment each of them would find."""

import socket
import uuid
from dataclasses import dataclass, replace

from maya.emulator.launchers.launch import (
    LOCAL_RANK,
    NODE_RANK,
    NODES,
    PER_NODE,
    RANK,
    WORLD_SIZE,
    Launch,
)
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

    def anew(self) -> "Layout":
        """For another launch: of the last, sockets may still be closing."""
        return self if self.launch.port else replace(self, port=_port(None))

    def argv(self, rank: int) -> tuple[str, ...]:
        """The command of a rank."""
        return tuple(self._filled(word, rank) for word in self.launch.argv)

    def environment(self, rank: int) -> dict[str, str]:
        """What every program of ranks asks for, torchrun's own variables, the launcher's."""
        node, local = divmod(rank, self.per_node)
        common = {
            "RANK": str(rank),
            "LOCAL_RANK": str(local),
            "WORLD_SIZE": str(self.world_size),
            "LOCAL_WORLD_SIZE": str(self.per_node),
            "NODE_RANK": str(node),
            "MASTER_ADDR": _LOCALHOST,
            "MASTER_PORT": str(self.port),
            # Their threads ask the store, which ends with rank 0 and not with a launcher.
            "TORCH_NCCL_ENABLE_MONITORING": "0",
            "TORCH_NCCL_DUMP_ON_TIMEOUT": "0",
        }
        elastic = self._elastic(rank) if self.launch.elastic else {}
        own = {name: self._filled(value, rank) for name, value in self.launch.own.items()}
        return common | elastic | own

    def _elastic(self, rank: int) -> dict[str, str]:
        """As torchrun sets it."""
        world, run_id = str(self.world_size), uuid.uuid5(uuid.NAMESPACE_OID, str(self.port)).hex
        return {
            "GROUP_RANK": str(rank // self.per_node),
            "GROUP_WORLD_SIZE": str(self.nodes),
            "ROLE_NAME": "default",
            "ROLE_RANK": str(rank),
            "ROLE_WORLD_SIZE": world,
            "TORCHELASTIC_RESTART_COUNT": "0",
            "TORCHELASTIC_MAX_RESTARTS": "0",
            "TORCHELASTIC_RUN_ID": run_id[:8],
            "TORCHELASTIC_USE_AGENT_STORE": "False",
            "TORCH_NCCL_ASYNC_ERROR_HANDLING": "1",
        }

    def _filled(self, text: str, rank: int) -> str:
        """A word of the launcher with the rank's own numbers in it."""
        node, local = divmod(rank, self.per_node)
        numbers = {RANK: rank, LOCAL_RANK: local, NODE_RANK: node, WORLD_SIZE: self.world_size}
        numbers |= {PER_NODE: self.per_node, NODES: self.nodes}
        for word, number in numbers.items():
            text = text.replace(word, str(number))
        return text


def place(launch: Launch, nodes: int, per_node: int) -> Layout:
    """Put the ranks of a command on a cluster, or say why they do not fit."""
    each = launch.per_node or min(per_node, launch.world or per_node)
    if each > per_node:
        raise MayaError(
            f"the command starts {each} ranks a node, but a node has {per_node} GPUs",
            hint="name a cluster with more GPUs a node, or start fewer ranks",
        )
    used = launch.nodes or _nodes_of(launch.world, each) or nodes
    if used > nodes:
        raise MayaError(
            f"the command starts ranks on {used} nodes, but the cluster has {nodes}",
            hint=f"name a larger cluster, such as gpu:{per_node}x{used}",
        )
    if launch.world is not None and launch.world != used * each:
        raise MayaError(
            f"the job has {launch.world} ranks, but {used} x {each} GPUs make {used * each}",
            hint="say how many ranks a node has, or name a cluster that they fill",
        )
    return Layout(launch, used, each, _port(launch.port))


def _nodes_of(world: int | None, each: int) -> int | None:
    return -(-world // each) if world else None


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
