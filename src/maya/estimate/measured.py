"""Durations that a user measured: a table of kernels and library calls, first in the chain.

Rows with a factor and no duration correct what is estimated of a family or class of kernels.
"""

import csv
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from maya.errors import MayaError
from maya.estimate.corrections import Correction, Corrections
from maya.estimate.problem import library_problem
from maya.estimate.types import Estimate, Source
from maya.frames import polars
from maya.hardware import Gpu, find_gpu
from maya.trace import Definition
from maya.trace.format import Kind
from maya.trace.names import plain_name, short_name

_UNITS = {"duration_ns": 1.0, "duration_us": 1e3, "duration_ms": 1e6}
FACTOR, CLASS, FAMILY = "factor", "class", "family"
_OWN = {"kernel", "gpu", "uncertainty", FACTOR, CLASS, FAMILY, *_UNITS}
_LARGEST_FACTOR = 1e3  # either way; more is no correction but another kernel
# One sigma of a measurement, where the file gives none: machines differ by this much.
MEASUREMENT = 0.02
_HINT = "columns: kernel, duration_us, and any of gpu, uncertainty and the call's own fields"


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement, and what it holds for."""

    kernel: str
    duration_ns: float
    uncertainty: float
    gpu: str  # "" for any
    fields: Mapping[str, str]  # must be equal: grid_x, m, n, k, ...

    def fits(self, found: Mapping[str, int | str], device: Gpu) -> bool:
        """Whether the fields of a work, or of its problem, are those that were measured."""
        if self.gpu and self.gpu != device.id:
            return False
        return all(str(found.get(name, "")) == value for name, value in self.fields.items())


class MeasuredWork:
    """Answers for what the file names, whatever other estimators think of it."""

    def __init__(self, rows: Sequence[Row], corrections: Sequence[Correction] = ()) -> None:
        self.corrections = Corrections(corrections)
        named = {row.gpu for row in rows} | {row.gpu for row in corrections}
        self.gpus = frozenset() if "" in named else frozenset(named)  # empty: good for any
        self._rows: dict[str, list[Row]] = defaultdict(list)
        for row in rows:
            self._rows[plain_name(row.kernel)].append(row)
        for same in self._rows.values():  # what names more fields is meant more closely
            same.sort(key=lambda row: (-len(row.fields), not row.gpu))

    def estimate(self, work: Definition, device: Gpu) -> Estimate | None:
        """None where no row fits."""
        for name, fields in _names(work):
            for row in self._rows.get(name, ()):
                if row.fits(fields, device):
                    duration = max(1, round(row.duration_ns))
                    return Estimate(duration, Source.MEASURED, row.uncertainty, under_load=True)
        return None


def read_measurements(path: Path | str) -> MeasuredWork:
    """From a CSV or Parquet file; MayaError names the line that is wrong."""
    path = Path(path)
    table = _parquet(path) if path.suffix == ".parquet" else _csv(path)
    rows: list[Row] = []
    corrections: list[Correction] = []
    for line, cells in table:
        if cells.get(FACTOR):
            corrections.append(_correction(path, line, cells))
        else:
            rows.append(_row(path, line, cells))
    return MeasuredWork(rows, corrections)


def _names(work: Definition) -> Iterator[tuple[str, Mapping[str, int | str]]]:
    """What a row may call the work, as `plain_name` spells it, and the fields that it may name."""
    if work.kind == Kind.KERNEL:
        mangled = work.text("kernel")
        yield plain_name(mangled), work.fields
        yield plain_name(short_name(mangled)), work.fields
        return
    yield work.op, work.fields
    if problem := library_problem(work):
        yield problem.name, problem.fields


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
    pl = polars("reading Parquet")
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
    spread = _number(path, line, cells, "uncertainty") if cells.get("uncertainty") else MEASUREMENT
    if not 0 <= spread < math.inf:
        raise _wrong(path, line, "has no uncertainty of zero or more")
    gpu = cells.get("gpu", "")
    fields = {name: cell for name, cell in cells.items() if cell and name not in _OWN}
    return Row(cells["kernel"], duration, spread, find_gpu(gpu).id if gpu else "", fields)


def _correction(path: Path, line: int, cells: dict[str, str]) -> Correction:
    cells = {name: cell.strip() for name, cell in cells.items()}
    factor = _number(path, line, cells, FACTOR)
    if not 1 / _LARGEST_FACTOR <= factor <= _LARGEST_FACTOR:
        raise _wrong(path, line, f"{FACTOR} is not between 0.001 and 1000: {cells[FACTOR]}")
    if not cells.get(CLASS):
        raise _wrong(path, line, f"has a {FACTOR} and names no {CLASS}")
    spread = _number(path, line, cells, "uncertainty") if cells.get("uncertainty") else 0.0
    if not 0 <= spread < math.inf:
        raise _wrong(path, line, "has no uncertainty of zero or more")
    gpu = cells.get("gpu", "")
    return Correction(
        cells[CLASS], cells.get(FAMILY, ""), factor, spread, find_gpu(gpu).id if gpu else ""
    )


def _number(path: Path, line: int, cells: Mapping[str, str], name: str) -> float:
    try:
        return float(cells[name])
    except ValueError:
        raise _wrong(path, line, f"{name} is no number: {cells[name]!r}") from None


def _wrong(path: Path, line: int, what: str) -> MayaError:
    return MayaError(f"{path}, line {line}: {what}", hint=_HINT)
