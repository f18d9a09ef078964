"""The clock of a job as its servers and clients share it."""

import mmap
from pathlib import Path

from maya.rundir.clock_page import (
    FURTHEST_AND_START,
    PROCESSES,
    PROCESSES_AT,
    STANDING,
    STANDING_AT,
)


class ClockPage:
    """Looks at the time, and makes it stand while nobody asks the server for anything."""

    def __init__(self, path: Path) -> None:
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), 0)

    def monotonic_s(self) -> float:
        """As a process of the job would be told."""
        furthest_ns, start_ns = FURTHEST_AND_START.unpack_from(self._map)
        return float(start_ns + furthest_ns) / 1e9

    def stand(self, still: bool) -> None:
        """Stop the clock, or let it go on."""
        STANDING.pack_into(self._map, STANDING_AT, int(still))

    def stands(self) -> bool:
        """Whether nobody asks."""
        return bool(STANDING.unpack_from(self._map, STANDING_AT)[0])

    def processes(self) -> list[int]:
        """Those that have joined; some may have ended."""
        return [one for one in PROCESSES.unpack_from(self._map, PROCESSES_AT) if one]
