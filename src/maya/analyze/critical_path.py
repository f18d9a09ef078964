"""What the step waits for: the critical path through hosts, streams and collectives."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from maya.simulator.collate import Job
from maya.simulator.path import Part, Segment, critical_path
from maya.simulator.program import Settings, Timeline
from maya.summary.figures import PathPart, PathShares
from maya.trace import Definition
from maya.trace.kernel_class import kernel_class, name_of

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
    segments: tuple[Segment, ...]  # the latest first

    def shares(self) -> PathShares:
        """For the summary, which has room for the longest."""
        top = [PathPart(c.name, c.category, c.time_ms, c.count) for c in self.contributors[:_SHOWN]]
        return PathShares(self.categories, tuple(top), self.ranks)


def step_path(
    job: Job, timeline: Timeline, settings: Settings, ends: Sequence[int]
) -> CriticalPath:
    """The path of the last of the measured steps."""
    path = critical_path(job.program, timeline, settings, int(ends[-2]), int(ends[-1]))
    calls = np.array([segment.call for segment in path], np.int64)
    ranks_of = np.searchsorted(job.program.rank_begin, calls, side="right") - 1
    told = _Told(job)
    times: dict[tuple[str, str], int] = defaultdict(int)
    counts: dict[tuple[str, str], int] = defaultdict(int)
    for segment, rank in zip(path, ranks_of.tolist(), strict=True):
        key = told.of(segment, rank)
        times[key] += segment.end_ns - segment.begin_ns
        counts[key] += 1
    found = [Contributor(name, kind, time / 1e6, counts[name, kind])
             for (name, kind), time in times.items()]  # fmt: skip
    found.sort(key=lambda c: (-c.time_ms, c.name))
    ranks = tuple(sorted(_number(job, rank) for rank in set(ranks_of.tolist())))
    return CriticalPath(_categories(found), tuple(found), ranks, tuple(path))


class _Told:
    """Names and categories of segments; a step says the same of most of its calls."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._known: dict[tuple[int, int, Part], tuple[str, str]] = {}

    def of(self, segment: Segment, rank: int) -> tuple[str, str]:
        """Name and category."""
        row = segment.call - int(self._job.program.rank_begin[rank])
        number = int(self._job.ranks[rank].rows.definition[row])
        key = rank, number, segment.part
        if key not in self._known:
            definition = self._job.captures[rank].definition(number) if number > 0 else None
            self._known[key] = _told(segment, definition)
        return self._known[key]


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


def _number(job: Job, rank: int) -> int:
    number = job.captures[rank].header.rank
    return number if number >= 0 else rank
