"""What the host and the device of a rank did: the data that every format is written from."""

from dataclasses import dataclass, replace

from maya.trace import Definition
from maya.trace.operators import Operator
from maya.trace.places import Place


@dataclass(frozen=True, slots=True)
class Work:
    """A kernel, copy, fill or collective on the device."""

    definition: Definition
    name: str
    stream: int
    begin_ns: int
    end_ns: int
    correlation: int


@dataclass(frozen=True, slots=True)
class RuntimeCall:
    """A call of the runtime on a host thread; `waits`: for the device."""

    name: str
    thread: int
    begin_ns: int
    end_ns: int
    correlation: int
    waits: bool


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of a host thread in which one module (or the optimiser) asks for work."""

    place: Place  # its line is that of the first call
    thread: int
    begin_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True)
class OperatorSpan:
    """From the first work that an operator asks for to the last; what else it does is not known."""

    operator: Operator
    number: int  # that of no call
    thread: int
    begin_ns: int
    end_ns: int
    calls: tuple[int, ...]  # correlations of its own, not of those within it


@dataclass(frozen=True, slots=True)
class RankSpans:
    """One launched rank."""

    rank: int
    device: int  # of its node
    world_size: int
    steps: tuple[tuple[int, int], ...]  # begin and end, ns
    works: tuple[Work, ...]
    calls: tuple[RuntimeCall, ...]
    regions: tuple[Region, ...] = ()
    operators: tuple[OperatorSpan, ...] = ()

    def of_the_steps(self) -> "RankSpans":
        """Without the work before the first step, which warms up what is simulated, and after the
        last: as a profiler that was switched on for these steps."""
        low, high = self.steps[0][0], self.steps[-1][1]
        works = tuple(w for w in self.works if w.end_ns > low and w.begin_ns < high)
        asked = {work.correlation for work in works}
        calls = tuple(
            call
            for call in self.calls
            if call.correlation in asked
            or (call.waits and low < call.end_ns and call.begin_ns < high)
        )
        begin = min((call.begin_ns for call in calls), default=low)
        end = max((call.end_ns for call in calls), default=high)
        regions = tuple(r for r in self.regions if r.begin_ns >= begin and r.end_ns <= end)
        operators = tuple(o for o in self.operators if o.begin_ns >= begin and o.end_ns <= end)
        return replace(self, works=works, calls=calls, regions=regions, operators=operators)
