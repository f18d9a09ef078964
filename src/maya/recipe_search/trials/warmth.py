"""The warm server of a worker: one at a time, kept while trials need the same one."""

import atexit
from dataclasses import dataclass, field

from maya.emulator.warm import WARM, WarmServer
from maya.hardware import Cluster
from maya.recipe_search.trials.jobs import TrialJob

_Key = tuple[tuple[str, ...], tuple[tuple[str, str], ...], str, int]


@dataclass(slots=True)
class _Kept:
    key: _Key | None = None
    server: WarmServer | None = None
    proven: bool = False  # a program that it started has asked something of the device
    failed: set[_Key] = field(default_factory=set)


_kept = _Kept()


def warm_environment(job: TrialJob, cluster: Cluster) -> dict[str, str]:
    """What makes the programs of a job start from a server; nothing where none works."""
    if not job.warm:
        return {}
    # Variables and the GPU may change what is imported; arguments of the script do not.
    place = cluster.gpu.model_dump_json(), cluster.per_node
    key = tuple(job.command[:2]), tuple(sorted(job.env.items())), *place
    if key in _kept.failed:
        return {}
    if key != _kept.key:
        close()
        _kept.server, _kept.key = _server(job, cluster), key
        if not _kept.server.wait():
            started_badly()
            return {}
    assert _kept.server is not None
    return {WARM: str(_kept.server.directory)}


def _server(job: TrialJob, cluster: Cluster) -> WarmServer:
    return WarmServer(job.command, job.env, gpu=cluster.gpu, gpus=cluster.per_node)


def started_well() -> None:
    """A program that the server started worked as one that starts from nothing would."""
    _kept.proven = True


def started_badly() -> None:
    """A program came to nothing that works when it starts from nothing.

    Where that is the first one, something touches the device while it is imported: such a program
    cannot be forked. Where others have worked before, the server is broken; the next trial makes a
    new one.
    """
    if _kept.key is not None and not _kept.proven:
        _kept.failed.add(_kept.key)
    close()


def serving() -> bool:
    """Whether programs are started from a server at the moment."""
    return _kept.server is not None


def server_pid() -> int | None:
    """The process that programs are started from."""
    return _kept.server.pid if _kept.server else None


def close() -> None:
    """End the server, if there is one."""
    if _kept.server is not None:
        _kept.server.close()
    _kept.server = _kept.key = None
    _kept.proven = False


atexit.register(close)
