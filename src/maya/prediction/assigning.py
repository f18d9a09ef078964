"""What to run where: from the command line alone, or from a job file."""

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from maya.errors import MayaError
from maya.hardware import Cluster, find_cluster, list_gpus
from maya.job_files import read_job_file

DEFAULT_CLUSTER = "h100:1"
CLUSTER_VARIABLE = "MAYA_CLUSTER"  # of the environment: used where no cluster is named


@dataclass(frozen=True, slots=True)
class Assignment:
    """A command with its surroundings, and the cluster as its user names it."""

    command: tuple[str, ...]
    cluster: str | Path | Cluster
    env: Mapping[str, str] = field(default_factory=dict)
    directory: Path | None = None  # None: where maya was started

    @contextlib.contextmanager
    def in_place(self) -> Iterator[None]:
        """Within the directory that the command runs in."""
        with contextlib.chdir(self.directory) if self.directory else contextlib.nullcontext():
            yield


def assignment(
    words: Sequence[str], cluster: str | Path | Cluster | None, job: Path | str | None
) -> Assignment:
    """A job file gives the command, and the cluster unless another is asked for."""
    if job is None and not words:
        raise MayaError("no command given", hint="maya run --cluster h100:1 -- python train.py")
    if job is None:
        usual = os.environ.get(CLUSTER_VARIABLE) or DEFAULT_CLUSTER
        return Assignment(tuple(words), cluster or usual)
    if words:
        raise MayaError(
            "the job file has a command of its own", hint="leave out the command after --"
        )
    found = read_job_file(Path(job))
    if cluster is None or _is_gpu(cluster):
        cluster = found.cluster(str(cluster) if cluster else None)
    if found.directory is not None and not found.directory.is_dir():
        raise MayaError(f"{job}: there is no directory {found.directory}, where the job would run")
    return Assignment(found.command, cluster, found.env, found.directory)


def _is_gpu(cluster: str | Path | Cluster) -> bool:
    """A model alone: how many there are is for the job file to say."""
    if not isinstance(cluster, str) or ":" in cluster or cluster.endswith((".yaml", ".yml")):
        return False
    return find_cluster(cluster).gpu in list_gpus()
