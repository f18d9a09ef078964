"""Durations that a user measured: a table of kernels and library calls, first in the chain."""

import csv
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from maya.errors import MayaError
from maya.estimate.types import Estimate, Source
from maya.hardware import Gpu, find_gpu
from maya.trace import Definition
from maya.trace.format import Kind
from maya.trace.names import demangle, short_name

_UNITS = {"duration_ns": 1.0, "duration_us": 1e3, "duration_ms": 1e6}
_OWN = {"kernel", "gpu", "uncertainty", *_UNITS}
_SPREAD = (
    0.02  # one sigma of a measurement, where the file gives none: machines differ by this much
)
_HINT = "columns: kernel, duration_us, and any of gpu, uncertainty and the call's own fields"


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement, and what it holds for."""

    kernel: str
    duration_ns: float
    uncertainty: float
    gpu: str  # "" for any
    fields: Mapping[str, str]  # must be equal: grid_x, m, n, k, ...

    def fits(self, work: Definition, device: Gpu) -> bool:
        """Whether the work is the one that was measured."""
        if self.gpu and self.gpu != device.id:
            return False
        return all(str(work.fields.get(name, "")) == value for name, value in self.fields.items())


class MeasuredWork:
    """Answers for what the file names, whatever other estimators think of it."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows: dict[str, list[Row]] = defaultdict(list)
        for row in rows:
            self._rows[row.kernel].append(row)
        for same in self._rows.values():  # what names more fields is meant more closely
            same.sort(key=lambda row: (-len(row.fields), not row.gpu))

    def estimate(self, work: Definition, device: Gpu) -> Estimate | None:
        """None where no row fits."""
        for name in _names(work):
            for row in self._rows.get(name, ()):
                if row.fits(work, device):
                    duration = max(1, round(row.duration_ns))
                    return Estimate(duration, Source.MEASURED, row.uncertainty)
        return None


def read_measurements(path: Path | str) -> MeasuredWork:
    """From a CSV or Parquet file; MayaError names the line that is wrong."""
    path = Path(path)
    table = _parquet(path) if path.suffix == ".parquet" else _csv(path)
    return MeasuredWork([_row(path, line, cells) for line, cells in table])


def _names(work: Definition) -> tuple[str, ...]:
    if work.kind == Kind.KERNEL:
        mangled = work.text("kernel")
        return mangled, demangle(mangled), short_name(mangled)
    return (work.op,)


def _csv(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            _check_columns(path, list(reader.fieldnames or ()))
            for cells in reader:
                if None in cells or None in cells.values():
                    raise _wrong(path, reader.line_num, "has another number of cells")
                yield reader.line_num, cells
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise MayaError(f"cannot read measurements from {path}: {error}", hint=_HINT) from error


def _parquet(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    import polars as pl

    try:
        table = pl.read_parquet(path)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise MayaError(f"cannot read measurements from {path}: {error}", hint=_HINT) from error
    _check_columns(path, table.columns)
    for number, cells in enumerate(table.iter_rows(named=True), start=1):
        yield number, {name: "" if cell is None else str(cell) for name, cell in cells.items()}


def _check_columns(path: Path, names: list[str]) -> None:
    if "kernel" not in names or not _UNITS.keys() & set(names):
        found = ", ".join(names) or "none"
        raise MayaError(f"{path} has no columns kernel and duration_us: {found}", hint=_HINT)


def _row(path: Path, line: int, cells: dict[str, str]) -> Row:
    cells = {name: cell.strip() for name, cell in cells.items()}
    if not cells["kernel"]:
        raise _wrong(path, line, "names no kernel")
    unit = next((name for name in _UNITS if cells.get(name)), "")
    duration = _number(path, line, cells, unit) * _UNITS.get(unit, 1.0) if unit else 0.0
    if not 0 < duration < math.inf:
        raise _wrong(path, line, "has no duration above zero")
    spread = _number(path, line, cells, "uncertainty") if cells.get("uncertainty") else _SPREAD
    gpu = cells.get("gpu", "")
    fields = {name: cell for name, cell in cells.items() if cell and name not in _OWN}
    return Row(cells["kernel"], duration, spread, find_gpu(gpu).id if gpu else "", fields)


def _number(path: Path, line: int, cells: Mapping[str, str], name: str) -> float:
    try:
        return float(cells[name])
    except ValueError:
        raise _wrong(path, line, f"{name} is no number: {cells[name]!r}") from None


def _wrong(path: Path, line: int, what: str) -> MayaError:
    return MayaError(f"{path}, line {line}: {what}", hint=_HINT)
