"""The blocks and changes of PyTorch's allocator that a process left beside its capture."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, NonNegativeInt, ValidationError, model_validator

from maya.errors import MayaError
from maya.rundir import names

Frame = tuple[str, int, str]  # file, line, function
Block = tuple[int, int, int, str, NonNegativeInt]  # address, size, requested, state, stack
Change = tuple[str, int, int, int, int, NonNegativeInt]  # action, address, size, stream, us, stack


class _Told(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class MemorySegment(_Told):
    """Memory that the allocator took from the device, and how it is divided."""

    address: int
    total_size: int
    stream: int
    allocated_size: int
    active_size: int
    requested_size: int
    type: str
    expandable: bool
    stack: NonNegativeInt
    blocks: list[Block]


class Snapshot(_Told):
    """At the end of the second step, or where an allocation failed."""

    device: int
    segments: list[MemorySegment]
    trace: list[Change]  # oldest first
    stacks: list[list[Frame]]

    @model_validator(mode="after")
    def _stacks_are_there(self) -> "Snapshot":
        asked = [change[-1] for change in self.trace]
        for segment in self.segments:
            asked += [segment.stack, *(block[-1] for block in segment.blocks)]
        if max(asked, default=-1) >= len(self.stacks):
            raise ValueError("a stack is missing")
        return self


def read_snapshot(capture: Path) -> Snapshot | None:
    """None where the program is not PyTorch's, came to no second step, or watched itself."""
    path = capture.with_suffix(names.SNAPSHOT_SUFFIX)
    try:
        data = path.read_bytes()
    except OSError:
        return None
    try:
        return Snapshot.model_validate_json(data)
    except ValidationError as error:
        raise MayaError(
            f"{path} cannot be read: {error.error_count()} mistake(s) in it",
            hint="emulate the run again",
        ) from error
