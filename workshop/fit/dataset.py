"""Measurements of kernels, and which of them are kept from the fit."""

import zlib

import numpy as np
import numpy.typing as npt
import polars as pl

from workshop.measurements.store import measurements

HELD_OUT = 5  # one shape in five, by hash, is never fitted


def read_table(*parts: str) -> pl.DataFrame:
    """The rows of one raw file of kernels/."""
    return measurements().rows_of(_file(*parts))


def has_table(*parts: str) -> bool:
    """Whether there is such a file."""
    return measurements().has(_file(*parts))


def find_tables(*parts: str) -> list[tuple[str, ...]]:
    """Files that match a pattern, as `read_table` takes them."""
    return [tuple(file.split("/")[1:]) for file in measurements().files(_file(*parts))]


def _file(*parts: str) -> str:
    return "/".join(("kernels", *parts))


def held_out(table: pl.DataFrame, *keys: str) -> npt.NDArray[np.bool_]:
    """Rows to judge by: the same shapes on every GPU, whatever the order of the file."""
    rows = table.select(keys).iter_rows()
    return np.fromiter((_hash(row) % HELD_OUT == 0 for row in rows), bool, len(table))


def _hash(row: tuple[object, ...]) -> int:
    return zlib.crc32(",".join(map(str, row)).encode())
