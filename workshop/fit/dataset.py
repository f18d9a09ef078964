"""Where the measurements are, and which of them are kept from the fit."""

import os
import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from maya.errors import MayaError

HELD_OUT = 5  # one shape in five, by hash, is never fitted


def data_directory() -> Path:
    """MAYA_DATA, or shared/data beside the clone."""
    found = Path(os.environ.get("MAYA_DATA", "../shared/data")).resolve()
    if not found.joinpath("kernels").is_dir():
        raise MayaError(f"no measurements in {found}", hint="set MAYA_DATA to their directory")
    return found


def read_table(*parts: str) -> pl.DataFrame:
    """One CSV file of kernels/, compressed or not."""
    return pl.read_csv(data_directory().joinpath("kernels", *parts), infer_schema_length=10_000)


def held_out(table: pl.DataFrame, *keys: str) -> npt.NDArray[np.bool_]:
    """Rows to judge by: the same shapes on every GPU, whatever the order of the file."""
    rows = table.select(keys).iter_rows()
    return np.fromiter((_hash(row) % HELD_OUT == 0 for row in rows), bool, len(table))


def _hash(row: tuple[object, ...]) -> int:
    return zlib.crc32(",".join(map(str, row)).encode())
