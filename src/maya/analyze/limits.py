"""Holds a prediction against limits."""

from collections.abc import Callable
from dataclasses import dataclass

from maya.summary import Summary
from maya.units import GIB


@dataclass(frozen=True, slots=True)
class Verdict:
    """One limit, and whether it is kept. A figure that is not known keeps no limit."""

    name: str
    limit: float
    found: float | None
    good: bool
    unit: str


@dataclass(frozen=True, slots=True)
class Limits:
    """What a person asks for; None: anything."""

    max_step_ms: float | None = None
    max_memory_gb: float | None = None
    min_headroom_gb: float | None = None
    min_mfu: float | None = None
    max_exposed_ms: float | None = None
    max_usd_per_step: float | None = None
    min_tokens_per_s: float | None = None
    min_samples_per_s: float | None = None


_FIGURES: dict[str, tuple[str, str, Callable[[Summary], float | None]]] = {
    "max_step_ms": ("step time", "ms", lambda s: s.step.time_ms if s.step else None),
    "max_memory_gb": (
        "peak memory reserved",
        "GiB",
        lambda s: s.memory.peak_reserved_bytes / GIB,
    ),
    "min_headroom_gb": ("head-room", "GiB", lambda s: s.memory.head_room_bytes / GIB),
    "min_mfu": ("MFU", "", lambda s: s.mfu),
    "max_exposed_ms": (
        "exposed communication",
        "ms",
        lambda s: s.communication.exposed_ms if s.communication else None,
    ),
    "max_usd_per_step": ("dollars a step", "USD", lambda s: s.cost.usd_per_step),
    "min_tokens_per_s": ("tokens a second", "", lambda s: s.throughput.tokens_per_s),
    "min_samples_per_s": ("samples a second", "", lambda s: s.throughput.samples_per_s),
}


def judge(summary: Summary, limits: Limits) -> list[Verdict]:
    """Every limit that was given, and first of all that it fits and that there is a step."""
    missing = summary.memory.missing_bytes / GIB
    verdicts = [Verdict("memory missing", 0.0, missing, not summary.memory.oom, "GiB")]
    if summary.step is None:
        verdicts.append(Verdict("steps found", 1.0, 0.0, False, ""))
    for name, (told, unit, figure) in _FIGURES.items():
        limit = getattr(limits, name)
        if limit is None:
            continue
        found = figure(summary)
        at_most = name.startswith("max_")
        good = found is not None and (found <= limit if at_most else found >= limit)
        verdicts.append(Verdict(told, limit, found, good, unit))
    return verdicts
