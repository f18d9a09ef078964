"""The warm server of a worker: one at a time, kept while trials need the same one."""

import atexit
from dataclasses import dataclass, field

from maya.emulate.warm import WARM, WarmServer
from maya.hardware import Cluster
from maya.search.jobs import Job

_Key = tuple[tuple[str, ...], tuple[tuple[str, str], ...], str, int]


@dataclass(slots=True)
class _Kept:
    key: _Key | None = None
    server: WarmServer | None = None
    failed: set[_Key] = field(default_factory=set)


_kept = _Kept()


def warm_environment(job: Job, cluster: Cluster) -> dict[str, str]:
    """What makes the programs of a job start from a server; nothing where none works."""
    if not job.warm:
        return {}
    # Variables and the GPU may change what is imported; arguments of the script do not.
    place = cluster.gpu.id, cluster.per_node
    key = tuple(job.command[:2]), tuple(sorted(job.env.items())), *place
    if key in _kept.failed:
        return {}
    if key != _kept.key:
        close()
        _kept.server, _kept.key = _server(job, cluster), key
        if not _kept.server.wait():
            give_up()
            return {}
    assert _kept.server is not None
    return {WARM: str(_kept.server.directory)}


def _server(job: Job, cluster: Cluster) -> WarmServer:
    return WarmServer(job.command, job.env, gpu=cluster.gpu, gpus=cluster.per_node)


def give_up() -> None:
    """This program cannot be started from a server."""
    if _kept.key is not None:
        _kept.failed.add(_kept.key)
    close()


def serving() -> bool:
    """Whether programs are started from a server at the moment."""
    return _kept.server is not None


def close() -> None:
    """End the server, if there is one."""
    if _kept.server is not None:
        _kept.server.close()
    _kept.server = _kept.key = None


atexit.register(close)
