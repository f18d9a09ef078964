"""Reads the published measurements of whole steps."""

from collections.abc import Sequence
from typing import TypeVar

from workshop.measurements.store import Measurements, Row

T = TypeVar("T")


def read_rows(data: Measurements, name: str) -> list[Row]:
    """A table of whole steps, every value as text."""
    return list(data.texts_of(f"end_to_end/{name}"))


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
