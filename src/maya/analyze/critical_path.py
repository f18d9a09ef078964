"""What the step waits for: the critical path through hosts, streams and collectives."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from maya.analyze.kernel_class import kernel_class, name_of
from maya.simulate.collate import Job
from maya.simulate.path import Part, Segment, critical_path
from maya.simulate.program import Settings, Timeline
from maya.trace import Definition

_LAUNCHES = "launch"  # latency to an idle stream, and gaps between kernels
_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Contributor:
    """One kernel, collective or stretch of host code on the path, over the step."""

    name: str
    category: str
    time_ms: float
    count: int


@dataclass(frozen=True, slots=True)
class CriticalPath:
    """The last measured step, taken apart; categories and contributors each add up to it."""

    categories: dict[str, float]  # milliseconds, the longest first
    contributors: tuple[Contributor, ...]  # the longest first
    ranks: tuple[int, ...]  # that the path visits

    def as_json(self) -> dict[str, Any]:
        """For summary.json."""
        return {
            "categories_ms": self.categories,
            "top": [
                {"name": c.name, "category": c.category, "time_ms": c.time_ms, "count": c.count}
                for c in self.contributors[:_SHOWN]
            ],
            "ranks": list(self.ranks),
        }


def step_path(
    job: Job, timeline: Timeline, settings: Settings, ends: Sequence[int]
) -> CriticalPath:
    """The path of the last of the measured steps."""
    path = critical_path(job.program, timeline, settings, int(ends[-2]), int(ends[-1]))
    times: dict[tuple[str, str], int] = defaultdict(int)
    counts: dict[tuple[str, str], int] = defaultdict(int)
    visited: set[int] = set()
    for segment in path:
        rank = _rank(job, segment.call)
        key = _told(segment, _definition(job, rank, segment.call))
        times[key] += segment.end_ns - segment.begin_ns
        counts[key] += 1
        visited.add(rank)
    found = [Contributor(name, kind, time / 1e6, counts[name, kind])
             for (name, kind), time in times.items()]  # fmt: skip
    found.sort(key=lambda c: (-c.time_ms, c.name))
    ranks = tuple(sorted(_number(job, rank) for rank in visited))
    return CriticalPath(_categories(found), tuple(found), ranks)


def _told(segment: Segment, definition: Definition | None) -> tuple[str, str]:
    """Name and category."""
    name = name_of(definition) if definition else "graph node"
    match segment.part:
        case Part.HOST:
            return f"host code before {name}", "host"
        case Part.LAUNCH | Part.GAP:
            return "launch latency and gaps", _LAUNCHES
        case Part.TRANSFER:
            return name, "communication"
        case Part.WORK:
            return name, kernel_class(definition) if definition else "other"
        case _:
            return "not explained", "idle"


def _categories(found: list[Contributor]) -> dict[str, float]:
    totals: dict[str, float] = defaultdict(float)
    for contributor in found:
        totals[contributor.category] += contributor.time_ms
    return dict(sorted(totals.items(), key=lambda item: (-item[1], item[0])))


def _rank(job: Job, call: int) -> int:
    return int(np.searchsorted(job.program.rank_begin, call, side="right")) - 1


def _number(job: Job, rank: int) -> int:
    number = job.captures[rank].header.rank
    return number if number >= 0 else rank


def _definition(job: Job, rank: int, call: int) -> Definition | None:
    row = call - int(job.program.rank_begin[rank])
    number = int(job.ranks[rank].rows.definition[row])
    return job.captures[rank].definition(number) if number > 0 else None
