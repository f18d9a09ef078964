"""The virtual clock that a program may be given: native/clock shows it, native/core moves it."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from maya.emulator.native import CLOCK, native_dir
from maya.rundir import RunDirectory, names

_PAGE_BYTES = 8192  # more than struct Page of native/clock/page.h


@dataclass(frozen=True, slots=True)
class VirtualClock:
    """What moves the clock besides the program."""

    pace: float  # CPU time of the target's host over that of this machine
    costs_ns: Mapping[str, int]  # native/core/virtual/settings.h
    # Answers how long device work takes, as long as it is entered, for the run of this directory.
    durations: Callable[[Path], AbstractContextManager[object]]
    # Several processes wait for each other: every wait with an end lasts that long in virtual time.
    patient: bool = False

    def environment(self, run_dir: RunDirectory) -> dict[str, str]:
        """Makes the page and says where it is."""
        page = run_dir.file(names.CLOCK)
        page.write_bytes(bytes(_PAGE_BYTES))
        return {
            "MAYA_CLOCK": str(page.resolve()),
            "MAYA_CLOCK_PACE": f"{self.pace:.4f}",
            "MAYA_CLOCK_PATIENT": str(int(self.patient)),
            "MAYA_CLOCK_COSTS": ",".join(f"{name}={ns}" for name, ns in self.costs_ns.items()),
        }

    @staticmethod
    def library() -> Path:
        """What to preload before all else."""
        return native_dir() / CLOCK
