"""What virtual ranks say where torch shares memory between GPUs (symmetric memory, AsyncTP).

Each member of the group writes a record into the rendezvous store that begins with the number of
its device. What a representative wrote names the representative's own, and torch refuses two
members on one device.
"""

import os
import re
import struct

_KEY = re.compile(r"symmetric_memory-(?P<ranks>\d+(?:_\d+)*)/.*/(?P<member>\d+)$")
_DEVICE = struct.Struct("<i")
_LEAST_RECORD = 16  # shorter ones, as those of a barrier, name no device


def on_own_device(key: str, value: bytes) -> bytes:
    """The representative's record as the member of this key would have written it."""
    found = _KEY.search(key)
    if not found or len(value) < _LEAST_RECORD:
        return value
    ranks = found["ranks"].split("_")
    rank = int(ranks[int(found["member"])])
    device = rank % int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
    return _DEVICE.pack(device) + value[_DEVICE.size :]
