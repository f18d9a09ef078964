"""Bounds of the numbers in a capture: later layers add them up and make tables of that length."""

import numpy as np

from maya.trace import format as fmt
from maya.trace.blocks import CaptureError, Events

_LATEST_NS = 1 << 56  # two years: sums of times stay far below 64 bits
_MOST = {
    "device": fmt.MOST_DEVICES,
    "nranks": fmt.MOST_RANKS,
    "rank": fmt.MOST_RANKS,
    "peer": fmt.MOST_RANKS,
}


def check_number(name: str, value: int) -> None:
    """A definition's field: CaptureError where nothing has so many."""
    most = _MOST.get(name)
    if most is not None and not -1 <= value <= most:
        raise CaptureError(f"a call's {name} is {value:,}")


def check_times(events: Events) -> None:
    """When the calls began."""
    if len(events) and (latest := int(np.max(events["start_ns"]))) > _LATEST_NS:
        raise CaptureError(f"a call {latest:,} ns after the start")
