"""What changed between two predictions, and what caused it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from maya.summary import KeptPrediction, KernelRow, Summary


@dataclass(frozen=True, slots=True)
class Change:
    """A number before and after; None where one side does not have it."""

    name: str
    before: float | None
    after: float | None

    @property
    def difference(self) -> float:
        """How much more."""
        return (self.after or 0.0) - (self.before or 0.0)


@dataclass(frozen=True, slots=True)
class KernelChange(Change):
    """Milliseconds a step, and why: how often it runs, how long each takes."""

    calls_before: float
    calls_after: float

    @property
    def cause(self) -> str:
        """In words."""
        if not self.calls_before:
            return "new"
        if not self.calls_after:
            return "gone"
        parts = []
        if abs(self.calls_after / self.calls_before - 1) > _NOTABLE:
            parts.append(f"{self.calls_before:g} -> {self.calls_after:g} calls")
        old, new = self._each(self.before, 0), self._each(self.after, 1)
        if old and abs(new / old - 1) > _NOTABLE:
            parts.append(f"each {new / old - 1:+.0%}")
        return ", ".join(parts)

    def _each(self, time: float | None, side: int) -> float:
        return (time or 0.0) / (self.calls_before, self.calls_after)[side]


@dataclass(frozen=True, slots=True)
class Difference:
    """Two predictions side by side."""

    clusters: tuple[str, str]
    totals: tuple[Change, ...]
    path: tuple[Change, ...]  # milliseconds of the critical path by category, largest change first
    kernels: tuple[KernelChange, ...]  # the largest change first


_NOTABLE = 0.005
_TOTALS: dict[str, Callable[[Summary], float | None]] = {
    "step ms": lambda s: s.step.time_ms if s.step else None,
    "device busy ms": lambda s: s.device.busy_ms if s.device else None,
    "device idle ms": lambda s: s.device.idle_ms if s.device else None,
    "communication ms": lambda s: s.communication.total_ms if s.communication else None,
    "exposed communication ms": lambda s: s.communication.exposed_ms if s.communication else None,
    "host ms": lambda s: s.host.busy_ms if s.host else None,
    "MFU": lambda s: s.mfu,
    "samples a second": lambda s: s.throughput.samples_per_s,
    "tokens a second": lambda s: s.throughput.tokens_per_s,
    "peak reserved bytes": lambda s: float(s.memory.peak_reserved_bytes),
    "peak allocated bytes": lambda s: float(s.memory.peak_allocated_bytes),
    "dollars a step": lambda s: s.cost.usd_per_step,
}


def compare(before: KeptPrediction, after: KeptPrediction) -> Difference:
    """What the second has that the first has not."""
    old, new = before.summary, after.summary
    totals = [Change(name, figure(old), figure(new)) for name, figure in _TOTALS.items()]
    known = [change for change in totals if (change.before, change.after) != (None, None)]
    return Difference(
        (old.cluster.name, new.cluster.name),
        tuple(known),
        tuple(_path(old, new)),
        tuple(_kernels(before.kernels(), after.kernels())),
    )


def _path(old: Summary, new: Summary) -> list[Change]:
    paths = [summary.critical_path for summary in (old, new)]
    sides = [path.categories_ms if path else {} for path in paths]
    changes = [
        Change(name, sides[0].get(name, 0.0), sides[1].get(name, 0.0))
        for name in sides[0].keys() | sides[1].keys()
    ]
    return sorted(changes, key=_largest_first)


def _kernels(before: Sequence[KernelRow], after: Sequence[KernelRow]) -> list[KernelChange]:
    old = {(row.kind, row.name): row for row in before}
    new = {(row.kind, row.name): row for row in after}
    changes = []
    for kind, name in old.keys() | new.keys():
        a = old.get((kind, name), KernelRow(name, kind))
        b = new.get((kind, name), KernelRow(name, kind))
        changes.append(KernelChange(name, a.time_ms, b.time_ms, a.calls, b.calls))
    return sorted(changes, key=_largest_first)


def _largest_first(change: Change) -> tuple[float, str]:
    return -abs(change.difference), change.name
