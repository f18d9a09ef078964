"""What changed between two predictions, and what caused it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from maya.analyze.summary import read_summary
from maya.analyze.tables import Row, read_table


@dataclass(frozen=True, slots=True)
class Change:
    """A number before and after."""

    name: str
    before: float
    after: float

    @property
    def difference(self) -> float:
        """How much more."""
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class Difference:
    """Two predictions side by side."""

    totals: tuple[Change, ...]
    kernels: tuple[Change, ...]  # milliseconds a step, the largest change first


_TOTALS = {
    "step ms": ("step", "time_ms"),
    "device busy ms": ("device", "busy_ms"),
    "communication ms": ("communication", "total_ms"),
    "exposed communication ms": ("communication", "exposed_ms"),
    "host ms": ("host", "busy_ms"),
    "peak memory bytes": ("memory", "peak_reserved_bytes"),
    "dollars a step": ("cost", "usd_per_step"),
}


def compare(before: Path, after: Path) -> Difference:
    """Read both runs and compare them."""
    old, new = read_summary(before), read_summary(after)
    totals = [
        Change(name, _number(old, *keys), _number(new, *keys)) for name, keys in _TOTALS.items()
    ]
    return Difference(tuple(totals), tuple(_kernels(read_table(before), read_table(after))))


def _kernels(before: list[Row], after: list[Row]) -> list[Change]:
    old = {(row.kind, row.name): row.time_ms for row in before}
    new = {(row.kind, row.name): row.time_ms for row in after}
    changes = [
        Change(name, old.get((kind, name), 0.0), new.get((kind, name), 0.0))
        for kind, name in old.keys() | new.keys()
    ]
    return sorted(changes, key=lambda change: (-abs(change.difference), change.name))


def _number(summary: dict[str, Any], group: str, key: str) -> float:
    return float(summary[group][key] or 0.0)
