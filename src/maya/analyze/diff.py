"""What changed between two predictions, and what caused it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from maya.analyze.summary import read_summary
from maya.analyze.tables import Row, read_table


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
_TOTALS = {
    "step ms": ("step", "time_ms"),
    "device busy ms": ("device", "busy_ms"),
    "device idle ms": ("device", "idle_ms"),
    "communication ms": ("communication", "total_ms"),
    "exposed communication ms": ("communication", "exposed_ms"),
    "host ms": ("host", "busy_ms"),
    "MFU": ("mfu",),
    "samples a second": ("throughput", "samples_per_s"),
    "tokens a second": ("throughput", "tokens_per_s"),
    "peak reserved bytes": ("memory", "peak_reserved_bytes"),
    "peak allocated bytes": ("memory", "peak_allocated_bytes"),
    "dollars a step": ("cost", "usd_per_step"),
}


def compare(before: Path, after: Path) -> Difference:
    """Read both runs and compare them."""
    old, new = read_summary(before), read_summary(after)
    totals = [
        Change(name, _number(old, keys), _number(new, keys)) for name, keys in _TOTALS.items()
    ]
    known = [change for change in totals if (change.before, change.after) != (None, None)]
    tables = [
        [] if summary["step"] is None else read_table(path)
        for summary, path in ((old, before), (new, after))
    ]
    return Difference(
        (str(old["cluster"]), str(new["cluster"])),
        tuple(known),
        tuple(_path(old, new)),
        tuple(_kernels(*tables)),
    )


def _path(old: dict[str, Any], new: dict[str, Any]) -> list[Change]:
    sides = [(summary["critical_path"] or {}).get("categories_ms", {}) for summary in (old, new)]
    changes = [
        Change(name, sides[0].get(name, 0.0), sides[1].get(name, 0.0))
        for name in sides[0].keys() | sides[1].keys()
    ]
    return sorted(changes, key=_largest_first)


def _kernels(before: list[Row], after: list[Row]) -> list[KernelChange]:
    old = {(row.kind, row.name): row for row in before}
    new = {(row.kind, row.name): row for row in after}
    changes = []
    for kind, name in old.keys() | new.keys():
        a = old.get((kind, name), Row(name, kind))
        b = new.get((kind, name), Row(name, kind))
        changes.append(KernelChange(name, a.time_ms, b.time_ms, a.calls, b.calls))
    return sorted(changes, key=_largest_first)


def _largest_first(change: Change) -> tuple[float, str]:
    return -abs(change.difference), change.name


def _number(summary: dict[str, Any], keys: tuple[str, ...]) -> float | None:
    found: Any = summary
    for key in keys:
        found = None if found is None else found[key]
    return None if found is None else float(found)
