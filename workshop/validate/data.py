"""Finds and reads the published measurements."""

import csv
import gzip
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from maya.errors import MayaError
from workshop.paths import REPOSITORY

Row = dict[str, str]
T = TypeVar("T")
_FOLDER = "end_to_end"


def find_data(given: Path | None) -> Path:
    """The folder of whole-step measurements: --data, MAYA_DATA, or beside the repository."""
    named = given or (Path(os.environ["MAYA_DATA"]) if os.environ.get("MAYA_DATA") else None)
    root = named or REPOSITORY.parent / "shared" / "data"
    for folder in (root / _FOLDER, root):
        if folder.is_dir() and any(folder.glob("*.csv*")):
            return folder
    raise MayaError(
        f"no measurements in {root}",
        hint=f"name the directory that holds {_FOLDER}/ with --data DIR or MAYA_DATA",
    )


def read_rows(path: Path) -> list[Row]:
    """A CSV file with a header, compressed or not."""
    try:
        if path.suffix == ".gz":
            with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
                return list(csv.DictReader(file))
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    except OSError as error:
        raise MayaError(
            f"cannot read {path}: {error.strerror}", hint="name another directory with --data"
        ) from error


def spread(rows: Sequence[T], count: int) -> list[tuple[T, bool]]:
    """`count` rows evenly over the list and as many between them: (row, seen).

    Only the first half is looked at while models are formed; the other is for the report.
    """
    if 2 * count >= len(rows):
        # By fours, so that rows which alternate in kind fall into both halves.
        return [(row, index % 4 in (0, 3)) for index, row in enumerate(rows)]
    stride = len(rows) / count
    chosen: list[tuple[T, bool]] = []
    for index in range(count):
        chosen.append((rows[int(index * stride)], True))
        chosen.append((rows[int((index + 0.5) * stride)], False))
    return chosen
