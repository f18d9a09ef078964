"""Programs that somebody else starts once for each rank: they find their place in variables."""

from collections.abc import Mapping

from maya.emulator.launchers.launch import Launch
from maya.errors import MayaError


def launch_from_variables(command: list[str], environment: Mapping[str, str]) -> Launch | None:
    """A job where WORLD_SIZE says so, as torchrun and most schedulers' wrappers set it."""
    world = environment.get("WORLD_SIZE", "")
    if not world.isdigit() or int(world) < 2:
        return None
    local = environment.get("LOCAL_WORLD_SIZE", "")
    per_node = int(local) if local.isdigit() else None
    if per_node and int(world) % per_node:
        raise MayaError(f"WORLD_SIZE {world} is not a multiple of LOCAL_WORLD_SIZE {per_node}")
    nodes = int(world) // per_node if per_node else None
    return Launch("python", tuple(command), per_node, nodes, world=int(world))
