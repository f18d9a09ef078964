"""Values on the host passed between the members of a group: real ones between processes."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from maya_inside import groups, ranks, store

_turns: "Counter[str]" = Counter()


def exchange(group: Any, payload: bytes) -> "dict[int, bytes]":
    """Every launched member's payload by its rank in the job; collective over the group."""
    members = groups.members_of(group)
    launched = [rank for rank in members if ranks.is_launched(rank)]
    if launched == [ranks.RANK]:
        return {ranks.RANK: payload}
    turn = _turns[group.group_name]
    _turns[group.group_name] += 1
    prefix = f"maya/{group.group_name}/{turn}"
    shared = store.shared()
    shared.set(f"{prefix}/{ranks.RANK}", payload)
    return {rank: bytes(shared.get(f"{prefix}/{rank}")) for rank in launched}


def voices(group: Any) -> "tuple[int, ...]":
    """For each member of the group, the launched rank that gives its value."""
    members = groups.members_of(group)
    inside = frozenset(members)
    return tuple(ranks.voice(rank, inside) for rank in members)


def post(group: Any, target: int, tag: int, payload: bytes) -> None:
    """Send to a member; what goes to a virtual one is dropped."""
    members = groups.members_of(group)
    if ranks.is_launched(members[target]):
        store.shared().set(_letter(group, ranks.RANK, members[target], tag), payload)


def collector(group: Any, source: int, tag: int) -> "Callable[[], bytes]":
    """Fetches the next letter from a launched member; its turn is taken now."""
    members = groups.members_of(group)
    key = _letter(group, members[source], ranks.RANK, tag)
    return lambda: bytes(store.shared().get(key))


def _letter(group: Any, source: int, target: int, tag: int) -> str:
    pair = f"maya/{group.group_name}/{source}>{target}/{tag}"
    _turns[pair] += 1
    return f"{pair}/{_turns[pair]}"
