"""What virtual members give to a gather on the device, which torch makes of sends and receives."""

import ctypes
from typing import Any

from maya_inside import exchange, groups, ranks


def speak_for_virtual(group: Any, outputs: Any) -> None:
    """At the root each virtual member's part becomes that of the member which speaks for it."""
    parts = outputs[0] if outputs and isinstance(outputs[0], (list, tuple)) else outputs
    members = groups.members_of(group)
    if len(parts) != len(members):
        return  # not the root
    core = ctypes.CDLL(None)
    place = {rank: index for index, rank in enumerate(members)}
    for part, rank, voice in zip(parts, members, exchange.voices(group), strict=True):
        given = parts[place[voice]]
        if ranks.is_launched(rank) or not (part.is_contiguous() and given.is_contiguous()):
            continue
        bytes_ = min(part.nbytes, given.nbytes)
        core.maya_repeat_values(
            ctypes.c_void_p(part.data_ptr()),
            ctypes.c_void_p(given.data_ptr()),
            ctypes.c_uint64(bytes_),
        )
