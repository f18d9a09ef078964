"""The virtual clock that a program may be given: native/clock shows it, native/core moves it."""

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from maya.emulator.native import CLOCK, native_dir
from maya.rundir import RunDirectory, names
from maya.rundir.clock_page import PAGE_BYTES, STARTS

_FILE = "MAYA_CLOCK"


@dataclass(frozen=True, slots=True)
class HostCosts:
    """What the target's host takes."""

    pace: float  # CPU time of the target's host over that of this machine
    costs_ns: Mapping[str, int]  # native/core/virtual/settings.h


@dataclass(frozen=True, slots=True)
class VirtualClock:
    """What moves the clock besides the program."""

    costs: Callable[[int], HostCosts]  # for so many ranks
    # Answers how long device work takes, as long as it is entered, for the run of this directory
    # with so many ranks.
    durations: Callable[[Path, int], AbstractContextManager[object]]
    # Several processes wait for each other: every wait with an end lasts that long in virtual time.
    patient: bool = False

    def environment(self, run_dir: RunDirectory, ranks: int = 1) -> dict[str, str]:
        """Makes the page of a job without ranks, and says where it is and what things cost."""
        page = run_dir.file(names.CLOCK)
        _write_page(page)
        costs = self.costs(ranks)
        return {
            _FILE: str(page.resolve()),
            "MAYA_CLOCK_PACE": f"{costs.pace:.4f}",
            "MAYA_CLOCK_PATIENT": str(int(self.patient)),
            "MAYA_CLOCK_COSTS": ",".join(f"{name}={ns}" for name, ns in costs.costs_ns.items()),
        }

    @staticmethod
    def library() -> Path:
        """What to preload before all else."""
        return native_dir() / CLOCK


def write_rank_clocks(run_dir: RunDirectory, ranks: Iterable[int]) -> dict[int, dict[str, str]]:
    """Clocks that start together and meet where the ranks do; how each rank's is found."""
    found = {}
    start = time.monotonic_ns(), time.time_ns()
    for rank in ranks:
        page = run_dir.file(names.RANK_CLOCK.format(rank=rank))
        _write_page(page, *start)
        found[rank] = {_FILE: str(page.resolve())}
    return found


def _write_page(page: Path, monotonic_ns: int = 0, unix_ns: int = 0) -> None:
    page.write_bytes(STARTS.pack(0, monotonic_ns, unix_ns).ljust(PAGE_BYTES, b"\0"))
