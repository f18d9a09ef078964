"""What a program fed to its model: native/core/feeds.cpp records it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from maya.trace.capture import Capture, Definition
from maya.trace.format import Kind

_BATCH, _TENSOR = "fed_batch", "fed_tensor"


@dataclass(frozen=True, slots=True)
class FedBatch:
    """A loader delivered one; it holds 0 samples where the loader does not say."""

    event: int
    loader: int
    samples: int
    unit: str


@dataclass(frozen=True, slots=True)
class FedTensor:
    """One was copied from the host; `rows` and `columns` are its first sizes."""

    event: int
    dimensions: int
    rows: int
    columns: int
    elements: int
    is_integer: bool


Fed = TypeVar("Fed", FedBatch, FedTensor)


def fed_batches(capture: Capture, begin: int, end: int) -> list[FedBatch]:
    """Those among these events, in order."""
    return _fed(capture, begin, end, _BATCH, _batch)


def fed_tensors(capture: Capture, begin: int, end: int) -> list[FedTensor]:
    """Those among these events, in order."""
    return _fed(capture, begin, end, _TENSOR, _tensor)


def _fed(
    capture: Capture, begin: int, end: int, op: str, read: Callable[[int, Definition], Fed]
) -> list[Fed]:
    own = {d.id: d for d in capture.definitions() if d.kind == Kind.FEED and d.op == op}
    numbers = capture.events["def"][begin:end]
    at = np.flatnonzero(np.isin(numbers, list(own)))
    return [read(begin + int(index), own[int(numbers[index])]) for index in at]


def _batch(event: int, told: Definition) -> FedBatch:
    return FedBatch(event, told.number("loader"), told.number("samples"), told.text("unit"))


def _tensor(event: int, told: Definition) -> FedTensor:
    return FedTensor(
        event,
        told.number("dimensions"),
        told.number("size_0"),
        told.number("size_1"),
        told.number("elements"),
        bool(told.number("is_integer")),
    )
