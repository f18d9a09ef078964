"""Predictions in the formats of other tools."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from maya.analyze.predict import Prediction
from maya.export.kineto import write_kineto

__all__ = ["FORMATS", "Format", "write_kineto"]


@dataclass(frozen=True, slots=True)
class Format:
    """One that `maya export --format` takes."""

    about: str
    write: Callable[[Prediction, Path], list[Path]]  # into this directory; what was written
    open_with: str


FORMATS = {
    "kineto": Format(
        "traces of PyTorch's profiler",
        write_kineto,
        "open it in ui.perfetto.dev or chrome://tracing, or with HTA",
    ),
}
