"""What PyTorch's caching allocator held, as the emulated process told it.

The driver sees only the allocator's segments. A process leaves `<capture>.memory.json` beside its
capture: exact peaks, the phase in which they rose, and who held what at the fullest moment that was
looked at (start of backward, optimiser) or when an allocation failed.
"""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, NonNegativeInt, ValidationError

from maya.errors import MayaError
from maya.rundir import names
from maya.summary.memory import when


class _Told(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Line(_Told):
    """A line of the program and what it allocated."""

    line: str
    bytes: NonNegativeInt


class Held(_Told):
    """Live tensors at a moment."""

    bytes: NonNegativeInt = 0
    categories: dict[str, int] = {}
    lines: list[Line] = []
    moment: str = ""
    step: int = 0


class Curve(_Told):
    """Bytes of each name over the second step (moments: microseconds of the clock), or up to an
    allocation that failed (moments: numbers of changes)."""

    names: list[str]
    samples: list[tuple[int, list[int]]]


class Failure(_Told):
    """An allocation that failed."""

    asked_bytes: NonNegativeInt
    free_bytes: NonNegativeInt
    allocated_bytes: NonNegativeInt
    reserved_bytes: NonNegativeInt
    line: str = ""
    phase: str = ""
    held: Held = Held()
    curve: Curve | None = None

    @property
    def missing_bytes(self) -> int:
        """How much more the device would have needed; cached memory was given back before."""
        return max(0, self.asked_bytes - self.free_bytes)


class Allocator(_Told):
    """One process."""

    peak_allocated_bytes: NonNegativeInt
    peak_reserved_bytes: NonNegativeInt
    pool_bytes: NonNegativeInt = 0  # taken from the driver at once, whatever is needed (XLA)
    peak_phase: str = ""
    fullest: Held | None = None
    out_of_memory: Failure | None = None
    curve: Curve | None = None
    failures: int = 0
    retries: int = 0

    def categories_at_peak(self) -> dict[str, int]:
        """Who held the peak: as at the fullest moment, and what came on top of it."""
        if self.fullest is None:
            whole = self.peak_allocated_bytes
            return {"tensors of unknown kinds": whole} if whole else {}
        found = {name: size for name, size in self.fullest.categories.items() if size}
        if rest := max(0, self.peak_allocated_bytes - self.fullest.bytes):
            found[f"allocated {when(self.peak_phase)}"] = rest
        return dict(sorted(found.items(), key=lambda item: -item[1]))


def read_allocator(capture: Path) -> Allocator | None:
    """What was left beside a capture; None where the program is not PyTorch's."""
    path = capture.with_suffix(names.ALLOCATOR_SUFFIX)
    try:
        data = path.read_bytes()
    except OSError:
        return None
    try:
        return Allocator.model_validate_json(data)
    except ValidationError as error:
        raise MayaError(
            f"{path} cannot be read: {error.error_count()} mistake(s) in it",
            hint="emulate the run again",
        ) from error
