"""kernels.json: where the device time of a step goes, row by row."""

from dataclasses import dataclass

from maya.typed_numbers import Amount, Milliseconds


@dataclass(frozen=True, slots=True)
class KernelRow:
    """One kernel, library call, copy or collective: mean of a rank's step."""

    name: str
    kind: str
    calls: Amount = 0.0
    time_ms: Milliseconds = 0.0
    source: str = ""  # where most of its time comes from


@dataclass(frozen=True, slots=True)
class KernelTable:
    """The whole file; the rows with the most time come first."""

    rows: tuple[KernelRow, ...] = ()
