"""Puts our answers for virtual peers into torch.distributed."""

import sys
from types import ModuleType
from typing import Any

from maya_inside import cpu, groups, ranks, store


def activate(dist: ModuleType) -> None:
    """Called once, when torch.distributed has just been imported."""
    if not hasattr(dist, "distributed_c10d"):
        return  # torch was built without it
    c10d: Any = dist.distributed_c10d
    _unchecked(c10d)
    if not ranks.has_virtual(range(ranks.WORLD_SIZE)):
        return  # every rank is a process
    _stores(dist)
    _groups(c10d)
    cpu.activate(dist, c10d)


def _unchecked(c10d: Any) -> None:
    """The core compares collectives itself. Torch's checks (TORCH_DISTRIBUTED_DEBUG=DETAIL) would
    take CPU time here, beside what the prediction adds for them."""
    if hasattr(c10d, "_create_process_group_wrapper"):
        c10d._create_process_group_wrapper = _as_it_is


def _as_it_is(wrapped_pg: Any, *_: Any, **__: Any) -> Any:
    return wrapped_pg


def _stores(dist: Any) -> None:
    peer_store = store.make_class(dist.Store)
    tcp, file = dist.TCPStore, dist.FileStore
    host = ranks.LAUNCHED[0]

    def tcp_store(
        host_name: str,
        port: int,
        world_size: Any = None,
        is_master: bool = False,
        *rest: Any,
        **options: Any,
    ) -> Any:
        # Rank 0 makes the server; where it is no process, the first launched rank does.
        serves = is_master or (not ranks.is_launched(0) and host == ranks.RANK)
        launched = len(ranks.LAUNCHED) if world_size == ranks.WORLD_SIZE else world_size
        if ranks.LAUNCHED == (ranks.RANK,):
            serves = True
        return peer_store(tcp("127.0.0.1", port, launched, serves, *rest, **options))

    def file_store(path: str, world_size: int = -1) -> Any:
        launched = len(ranks.LAUNCHED) if world_size == ranks.WORLD_SIZE else world_size
        return peer_store(file(path, launched))

    for module in (dist, dist.rendezvous.__globals__, dist.distributed_c10d):
        names = module if isinstance(module, dict) else vars(module)
        if "TCPStore" in names:
            names["TCPStore"] = tcp_store
        if "FileStore" in names:
            names["FileStore"] = file_store


def _groups(c10d: Any) -> None:
    make = c10d._new_process_group_helper

    def new_process_group(
        group_size: int,
        group_rank: int,
        members: Any,
        backend: Any,
        store: Any,
        group_name: str,
        *rest: Any,
        **options: Any,
    ) -> Any:
        with groups.being_made(group_name, members):
            return make(
                group_size, group_rank, members, backend, store, group_name, *rest, **options
            )

    c10d._new_process_group_helper = new_process_group
    # A split tells NCCL a colour, not who has it; members that are no process could not answer.
    if hasattr(c10d, "_get_split_source"):
        c10d._get_split_source = lambda pg: None
    _splits(c10d)
    wait_for_all = c10d._store_based_barrier

    def store_based_barrier(
        rank: int, store: Any, group_name: str, count: int, *rest: Any, **options: Any
    ) -> Any:
        # Our store counts for the whole job, which is more than a smaller group expects.
        if count == ranks.WORLD_SIZE:
            return wait_for_all(rank, store, group_name, count, *rest, **options)
        return None

    c10d._store_based_barrier = store_based_barrier


def _splits(c10d: Any) -> None:
    """Groups by split become groups by declaration, which tells their members."""
    if not hasattr(c10d, "split_group"):
        return

    def split_group(
        parent_pg: Any = None,
        split_ranks: Any = None,
        timeout: Any = None,
        pg_options: Any = None,
        group_desc: Any = None,
        **_: Any,
    ) -> Any:
        parent = groups.members_of(parent_pg or c10d._get_default_group())
        mine = c10d.GroupMember.NON_GROUP_MEMBER
        for chosen in split_ranks or []:
            members = [parent[index] for index in chosen]
            made = c10d.new_group(members, timeout=timeout, group_desc=group_desc)
            if ranks.RANK in members:
                mine = made
        return None if mine is c10d.GroupMember.NON_GROUP_MEMBER else mine

    real = c10d.split_group
    for module in list(sys.modules.values()):
        torchs = getattr(module, "__name__", "").startswith("torch.distributed")
        if torchs and vars(module).get("split_group") is real:
            vars(module)["split_group"] = split_group
