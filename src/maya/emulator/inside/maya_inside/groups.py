"""Process groups of the program: every rank declares every group, so their members are known."""

import contextlib
import ctypes
import re
from collections.abc import Iterator, Sequence
from typing import Any

from maya_inside import partners, ranks

_MEMBERS: dict[str, tuple[int, ...]] = {}
_current: "list[tuple[int, ...]]" = []
# PrefixStore joins "<group>/" and "<device>/" with more slashes; the last word is NCCL's own:
# a counter, "low:high" of a pair, or one of the ids of a communicator with several roots.
_UNIQUE_ID = re.compile(r"(?:^|/)([^/]+)//\w+//(?:(\d+)|(\d+):(\d+)|UniqueNCCLID:(\d+))$")
_ID_BYTES = 128


@contextlib.contextmanager
def being_made(name: str, members: Sequence[int]) -> Iterator[None]:
    """While a group is made, its backends ask who is in it."""
    everybody = tuple(members) or tuple(range(ranks.WORLD_SIZE))
    if name not in _MEMBERS:
        partners.note_group(everybody)
    _MEMBERS[name] = everybody
    _current.append(everybody)
    try:
        yield
    finally:
        _current.pop()


@contextlib.contextmanager
def in_collective(name: str) -> Iterator[None]:
    """Sends and receives of which torch makes a collective must not be taken for a pipeline's."""
    if name not in ("scatter", "gather", "alltoall", "alltoall_base"):
        yield
        return
    core = ctypes.CDLL(None)
    core.maya_in_collective(1)
    try:
        yield
    finally:
        core.maya_in_collective(0)


def members_being_made() -> "tuple[int, ...] | None":
    """Of the innermost group that is being made in this process."""
    return _current[-1] if _current else None


def members_of(group: Any) -> "tuple[int, ...]":
    """The ranks of the job in a process group; empty if it is not one of the program's."""
    return _MEMBERS.get(group.group_name, ())


class UniqueId:
    """A key under which a group's root leaves the id of an NCCL communicator."""

    def __init__(self, members: "tuple[int, ...]", root: int, one_of_many: bool = False) -> None:
        self.members = members
        self.root = root
        self.one_of_many = one_of_many  # every so many ranks of a large group one leaves an id

    def declare(self, value: bytes) -> None:
        """Tell the emulated NCCL who will be in the communicator."""
        if len(value) != _ID_BYTES:
            return
        core = ctypes.CDLL(None)
        array = (ctypes.c_int * len(self.members))(*self.members)
        core.maya_declare_communicator(
            ctypes.c_char_p(value), ctypes.c_uint64(_ID_BYTES), array, len(self.members)
        )


def unique_id(key: str) -> UniqueId | None:
    """What a key of the store says about a communicator to come, if it is such a key."""
    match = _UNIQUE_ID.search(key)
    members = _MEMBERS.get(match.group(1)) if match else None
    if match is None or members is None:
        return None
    if match.group(3) is not None:
        pair = members[int(match.group(3))], members[int(match.group(4))]
        partners.note(pair, members)
        return UniqueId(pair, pair[0])
    return UniqueId(members, members[0], one_of_many=match.group(5) is not None)


def derived_id(key: str) -> bytes:
    """An id that all launched members of a group with a virtual root agree on."""
    import hashlib

    return hashlib.sha512(key.encode()).digest() * 2
