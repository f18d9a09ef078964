"""Settings of the simulator, and what its timelines show, for timelines computed by hand."""

from maya.simulator import Settings
from maya.simulator.program import Timeline

PLAIN = Settings()
TIMED = Settings(share_links=True, share_devices=True)


def spans(timeline: Timeline, *calls: int) -> list[tuple[int, int]]:
    return [(int(timeline.start_ns[c]), int(timeline.end_ns[c])) for c in calls]
