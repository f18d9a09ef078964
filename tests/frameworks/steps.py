"""What one steady step of a capture holds."""

import re
from collections import Counter

import numpy as np

from maya.trace import Capture
from maya.trace.format import Kind
from maya.trace.names import demangle


def _last_step(capture: Capture) -> np.ndarray:
    """Definitions of the events between the last two step boundaries, in order of time."""
    marks, period = [], 1
    for definition in capture.definitions():
        if definition.op == "step_boundary":
            marks.append(definition.id)
        elif definition.op == "steady":
            period = definition.number("period")
    events = capture.events
    times = np.sort(events["start_ns"][np.isin(events["def"], marks)])
    assert len(times) > period, f"{capture.path.name} has no whole step"
    begin, end = times[-1 - period], times[-1]
    inside = (events["start_ns"] > begin) & (events["start_ns"] <= end)
    return events["def"][inside]


def collectives(capture: Capture) -> dict[str, int]:
    """Kinds of collective calls in a step, and how many of each."""
    names = {d.id: d.op for d in capture.definitions() if d.kind == Kind.COLLECTIVE}
    found = Counter(names[number] for number in _last_step(capture).tolist() if number in names)
    return dict(sorted(found.items()))


def kernels(capture: Capture, pattern: str) -> int:
    """Launches in a step of kernels whose readable name matches."""
    wanted = {
        d.id
        for d in capture.definitions()
        if d.kind == Kind.KERNEL and re.search(pattern, demangle(d.text("kernel")))
    }
    return sum(number in wanted for number in _last_step(capture).tolist())


def library_calls(capture: Capture, pattern: str) -> int:
    """Library calls in a step, by name."""
    wanted = {
        d.id for d in capture.definitions() if d.kind == Kind.LIBRARY and re.search(pattern, d.op)
    }
    return sum(number in wanted for number in _last_step(capture).tolist())
