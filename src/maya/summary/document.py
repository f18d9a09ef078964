"""summary.json: the whole answer, typed."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from maya.errors import MayaError
from maya.hardware import Cluster
from maya.summary.figures import (
    CommunicationTime,
    Cost,
    DeviceTime,
    EmulationFigures,
    EveryRank,
    HostTime,
    Load,
    PathShares,
    Saving,
    Step,
    Throughput,
    UnsupportedCall,
)
from maya.summary.memory import MemoryFigures
from maya.summary.options import PredictionOptions
from maya.typed_json import decode, encode, schema
from maya.typed_numbers import Amount, Count, Share

SCHEMA_VERSION = 2
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_HINT = "predict again: maya simulate RUN --cluster C"
_OF_A_STEP = (
    *("mfu", "hfu", "model_flops_per_step", "device", "communication", "host"),
    *("critical_path", "provenance"),
)


@dataclass(frozen=True, slots=True)
class Summary:
    """What would happen on the cluster. A new fact is a field with a default: older files lack it.

    Without a step, `no_step` says why, and everything that is of a step is None.
    """

    schema_version: int
    maya_version: str
    cluster: Cluster
    options: PredictionOptions
    command: tuple[str, ...]
    gpus: Count  # of the cluster
    gpus_used: Count
    step: Step | None
    no_step: str | None
    every_rank: EveryRank | None
    mfu: Amount | None
    hfu: Amount | None
    model_flops_per_step: Amount | None
    memory: MemoryFigures
    device: DeviceTime | None
    communication: CommunicationTime | None
    host: HostTime | None
    critical_path: PathShares | None
    cost: Cost
    throughput: Throughput
    provenance: dict[str, Share] | None  # source of durations -> share of device time
    unsupported_calls: tuple[UnsupportedCall, ...]
    notes: tuple[str, ...]
    emulation: EmulationFigures
    load: Load | None = None
    saving: Saving | None = None  # None: the program saved nothing
    not_understood: dict[str, Count] = field(default_factory=dict)  # launches, by kernel family

    def __post_init__(self) -> None:
        for name in _OF_A_STEP:
            if (getattr(self, name) is None) is not (self.step is None):
                raise ValueError(f"{name}: it must be null exactly where step is")
        if (self.no_step is None) is (self.step is None):
            raise ValueError("no_step: it must say why there is no step, and nothing where one is")

    def to_json(self) -> str:
        """The text of summary.json."""
        return encode(Summary, self)

    @staticmethod
    def schema() -> dict[str, Any]:
        """The JSON Schema of summary.json."""
        return {"$schema": _DIALECT, **schema(Summary)}

    @staticmethod
    def from_json(data: bytes | str, path: Path) -> "Summary":
        """The inverse; `path` is told where something is wrong."""
        found = decode(_Version, data, path, hint=_HINT).schema_version
        if found != SCHEMA_VERSION:
            raise MayaError(
                f"{path} has version {found}, but this maya reads version {SCHEMA_VERSION}",
                hint=_HINT,
            )
        return decode(Summary, data, path, hint=_HINT)


@dataclass(frozen=True, slots=True)
class _Version:
    """Read first: a file of another version has other fields, not wrong ones."""

    schema_version: int
