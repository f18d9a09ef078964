"""What every launcher's reader gets and gives."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from maya.errors import MayaError
from maya.hardware import Gpu, find_gpu

# Stand in a rank's words and variables for what the layout decides.
RANK, LOCAL_RANK, NODE_RANK = "{rank}", "{local_rank}", "{node_rank}"
WORLD_SIZE, PER_NODE, NODES = "{world_size}", "{per_node}", "{nodes}"


@dataclass(frozen=True, slots=True)
class LaunchNode:
    """The GPUs that a launcher finds where it is started."""

    gpu: Gpu
    gpus: int


DEFAULT_NODE = LaunchNode(find_gpu("h100"), 1)


@dataclass(frozen=True, slots=True)
class Launch:
    """A launcher's command, understood."""

    launcher: str
    argv: tuple[str, ...]  # of every rank
    per_node: int | None  # None: as many as a node has GPUs
    nodes: int | None  # None: as many as the cluster has
    port: int | None = None
    env: dict[str, str] = field(default_factory=dict)
    own: dict[str, str] = field(default_factory=dict)  # variables of a rank that it changes or adds
    elastic: bool = True  # whether ranks find torchrun's own variables
    world: int | None = None  # of all nodes together, where that was said


@dataclass(frozen=True, slots=True)
class LauncherCall:
    """A launcher's command line, with the interpreter that runs the launcher."""

    name: str  # the command that was matched
    python: str
    words: list[str]  # behind it
    environment: Mapping[str, str]
    node: LaunchNode


@dataclass(frozen=True, slots=True)
class Launcher:
    """The commands by which it is called, as programs or modules, and its reader.

    The reader gives None for a command line that starts no ranks.
    """

    commands: tuple[str, ...]  # "torchrun"; "accelerate launch" where its first word matters
    read: Callable[[LauncherCall], Launch | None]
    starts_python: bool = True  # runs its script with the interpreter that it runs in itself


def count(text: str, option: str) -> int:
    """A positive number that was given with an option."""
    if not text.isdigit() or int(text) < 1:
        raise MayaError(f"{option} must be a positive number, not {text!r}")
    return int(text)


def port_of(text: str) -> int | None:
    """A port, where one was given."""
    return int(text) if text.isdigit() else None
