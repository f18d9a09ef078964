"""The machine that emulated a run."""

import json
from collections.abc import Sequence

from maya.trace.capture import Capture


def yardstick_of(captures: Sequence[Capture]) -> int | None:
    """CPU time of the yardstick on the emulating machine, in ns; None where it was not measured."""
    try:
        text = (captures[0].path.parent / "run.json").read_text("utf-8")
        measured = int(json.loads(text)["host"]["yardstick_ns"])
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return None
    return measured if measured > 0 else None
