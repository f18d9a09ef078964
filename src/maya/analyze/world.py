"""The ranks of a job: how many there are, and which of them were recorded."""

from collections.abc import Sequence

from maya.errors import MayaError
from maya.hardware import Cluster
from maya.rundir import RankFacts
from maya.trace import Capture, Run
from maya.trace.roles import Roles, read_roles


def world_size_of(run: Run) -> int:
    """How many ranks the job has; all must be there and of one run."""
    captures, about = run.captures, run.ranks
    sizes = {max(1, capture.header.world_size) for capture in captures}
    if len(sizes) > 1:
        raise MayaError("these captures are of different runs", hint="give one run directory")
    (size,) = sizes
    ranks = [capture.header.rank for capture in captures if capture.header.rank >= 0]
    if len(ranks) != len(set(ranks)):
        twice = min(rank for rank in ranks if ranks.count(rank) > 1)
        raise MayaError(
            f"rank {twice} has two captures", hint="captures of different runs are mixed"
        )
    expected = about.launched if about and about.world_size == size else range(size)
    if ranks and (missing := sorted(set(expected) - set(ranks))):
        raise MayaError(
            f"the run has {size} ranks, but there is no capture of rank "
            + ", ".join(map(str, missing[:8])),
            hint="a rank died before its first device call, or files are missing",
        )
    return max(size, len(captures))


def check_fits(world_size: int, cluster: Cluster) -> None:
    """A rank needs a GPU."""
    if world_size > cluster.gpus:
        raise MayaError(
            f"the command starts {world_size} ranks, but {cluster.name} has {cluster.gpus} GPUs",
            hint="name a larger cluster, or start fewer ranks",
        )


def rank_of(capture: Capture, index: int) -> int:
    """The rank that the launcher gave, or the place among the captures."""
    return capture.header.rank if capture.header.rank >= 0 else index


def weights_of(ranks: RankFacts | None, captures: Sequence[Capture]) -> list[int]:
    """How many ranks each capture stands for."""
    return [ranks.weight(rank_of(c, i)) if ranks else 1 for i, c in enumerate(captures)]


def roles_of(run: Run, world_size: int, captures: Sequence[Capture]) -> Roles:
    """Whom each rank of the job is like."""
    recorded = sorted(rank_of(capture, index) for index, capture in enumerate(captures))
    return read_roles(run.directory.path, world_size, tuple(recorded))
