"""What travels between the search and its workers: plain data, as JSON."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from maya.recipe_search.trials.host_told import HostTold
from maya.summary import Summary
from maya.typed_json import decode

_DAMAGED = "the search's storage is damaged: begin again in another directory (-o)"

# A hopeless trial was ended early: its step_ms is what a step takes at least.
Status = Literal["ok", "oom", "failed", "hopeless"]
How = Literal["emulated", "resimulated", "reused"]
Metrics = dict[str, float | None]


@dataclass(frozen=True, slots=True)
class TrialJob:
    """One trial to run. All paths are absolute."""

    number: int
    command: tuple[str, ...]
    env: dict[str, str]
    directory: str
    cluster: str
    capture_key: str  # the same for trials whose emulation would be the same
    store: str  # where captures and simulations are shared
    steps: int
    max_seconds: float
    host_scale: float
    tokens_per_step: float | None
    keep_captures: bool
    warm: bool
    stop_above_ms: float | None = None  # a trial whose step takes longer for sure is ended
    alone_first: bool = False  # whether one rank shall run before the others are launched

    def to_json(self) -> str:
        """One line."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> "TrialJob":
        """The inverse."""
        data = json.loads(text)
        return TrialJob(**(data | {"command": tuple(data["command"])}))


@dataclass(frozen=True, slots=True)
class TrialOutcome:
    """How a trial ended."""

    status: Status
    how: How = "emulated"
    metrics: Metrics = field(default_factory=dict)
    message: str = ""
    seconds: float = 0.0
    host: HostTold | None = None

    def to_json(self) -> str:
        """One line."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> "TrialOutcome":
        """The inverse."""
        return decode(TrialOutcome, text, Path("the outcome of a trial"), hint=_DAMAGED)


def metrics_of(summary: Summary) -> Metrics:
    """What a search remembers of a summary; nothing where there is no step."""
    step, device, moved, host = summary.step, summary.device, summary.communication, summary.host
    if step is None or device is None or moved is None or host is None:
        return {}
    return {
        "step_ms": step.time_ms,
        "low_ms": step.low_ms,
        "high_ms": step.high_ms,
        "steady": float(step.steady),
        "mfu": summary.mfu,
        "hfu": summary.hfu,
        "peak_bytes": summary.memory.peak_reserved_bytes,
        "headroom_bytes": summary.memory.head_room_bytes,
        "usd_per_hour": summary.cost.usd_per_hour,
        "usd_per_step": summary.cost.usd_per_step,
        "busy_ms": device.busy_ms,
        "idle_ms": device.idle_ms,
        "compute_ms": device.compute_ms,
        "communication_ms": moved.total_ms,
        "exposed_ms": moved.exposed_ms,
        "host_ms": host.busy_ms,
        "launched_ranks": summary.emulation.launched_ranks,
    }
