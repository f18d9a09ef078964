"""Reads measurements: from the clone's Parquet files, or from a raw folder that someone names."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import polars as pl

from maya.errors import MayaError
from workshop.measurements.catalogue import FILE, Table, join, table_named, table_of
from workshop.measurements.provenance import why_left_out
from workshop.measurements.raw import read_csv
from workshop.paths import DATA

Row = dict[str, str]
_HINT = "name the raw folder with MAYA_DATA"


@dataclass(frozen=True, slots=True)
class Measurements:
    """The clone's own (no raw folder), or those of a raw folder."""

    raw: Path | None = None

    def table(self, name: str) -> pl.DataFrame:
        """All rows of a table, each with the raw file it comes from."""
        table = table_named(name)
        if self.raw is None:
            return pl.read_parquet(parquet(table))
        root = self.raw
        return join((file, table.read_file(root, file)) for file in table.find_files(root))

    def has(self, file: str) -> bool:
        """Whether a file's rows are at hand."""
        return file in self.files(file)

    def files(self, pattern: str) -> list[str]:
        """Raw files of one table that match, in stored order."""
        table = _table(pattern)
        if self.raw is not None:
            found = table.find_files(self.raw)
        else:
            column = pl.scan_parquet(parquet(table)).select(FILE).collect()[FILE]
            found = column.unique(maintain_order=True).to_list()
        return [file for file in found if fnmatch(file, pattern)]

    def rows_of(self, file: str) -> pl.DataFrame:
        """The rows of one raw file."""
        if self.raw is not None:
            return _read_raw(self.raw, file)
        stored = pl.scan_parquet(parquet(_table(file))).filter(pl.col(FILE) == file)
        found = stored.drop(FILE).collect()
        if found.is_empty():
            raise MayaError(f"no measurements of {file}", hint=_HINT)
        return found

    def texts_of(self, file: str) -> Iterator[Row]:
        """The same with every value as text, and nothing for a missing one."""
        for row in self.rows_of(file).iter_rows(named=True):
            yield {name: _text(value) for name, value in row.items()}


def measurements(given: Path | None = None) -> Measurements:
    """Of the folder that is given, or that MAYA_DATA names; else the clone's own."""
    named = given or (Path(os.environ["MAYA_DATA"]) if os.environ.get("MAYA_DATA") else None)
    if named is not None and not any((named / part).is_dir() for part in ("kernels", "end_to_end")):
        raise MayaError(
            f"no measurements in {named}",
            hint="--data and MAYA_DATA name the directory that holds kernels/ and end_to_end/",
        )
    return Measurements(named.resolve() if named else None)


def parquet(table: Table) -> Path:
    """The clone's copy of a table."""
    return DATA / f"{table.name}.parquet"


def _table(file: str) -> Table:
    table = table_of(file)
    if table is None:
        reason = why_left_out(file) or "no table holds it"
        raise MayaError(f"no measurements of {file}: {reason}", hint=_HINT)
    return table


def _read_raw(root: Path, file: str) -> pl.DataFrame:
    """Also of what is in no table: a raw folder may hold what a clone may not."""
    if not (root / file).exists():
        raise MayaError(f"no measurements of {file} in {root}", hint="name another directory")
    table = table_of(file)
    return table.read_file(root, file) if table else read_csv(root / file)


def _text(value: Any) -> str:
    return "" if value is None else str(value)
