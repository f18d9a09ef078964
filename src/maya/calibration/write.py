"""The measurements file of a calibration: rows that `--measurements` reads."""

import csv
from collections.abc import Iterator
from pathlib import Path

from maya.calibration.calibrating import Calibration
from maya.errors import MayaError
from maya.estimate.measured import CLASS, FACTOR, FAMILY

_COLUMNS = ("kernel", "duration_us", "gpu", "uncertainty", CLASS, FAMILY, FACTOR)
Row = dict[str, object]


def write_measurements(found: Calibration, path: Path) -> None:
    """Exact rows for all that was seen, then a factor for each family and class."""
    measured = list(_measured(found))
    others = dict.fromkeys(name for row in measured for name in row if name not in _COLUMNS)
    try:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, [*_COLUMNS, *others], restval="")
            writer.writeheader()
            writer.writerows(measured)
            writer.writerows(_corrections(found))
    except OSError as error:
        raise MayaError(f"cannot write {path}: {error.strerror}") from error


def _measured(found: Calibration) -> Iterator[Row]:
    for seen in found.observations:
        yield {
            "kernel": seen.kernel,
            "duration_us": f"{seen.typical_ns / 1e3:.4g}",
            "gpu": found.gpu.id,
            "uncertainty": f"{seen.spread:.3g}",
            **seen.fields,
        }


def _corrections(found: Calibration) -> Iterator[Row]:
    for row in found.corrections:
        yield {
            "gpu": row.gpu,
            "uncertainty": f"{row.uncertainty:.3g}" if row.uncertainty else "",
            CLASS: row.kernel_class,
            FAMILY: row.family,
            FACTOR: f"{row.factor:.4g}",
        }
