"""Predictions in the formats of other tools."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from maya.analyze.predicting import Prediction
from maya.export.chakra import write_chakra
from maya.export.csv_table import write_csv, write_parquet
from maya.export.kineto import write_kineto
from maya.export.memory import write_failed_memory, write_memory
from maya.export.perfetto import write_perfetto
from maya.export.sqlite import write_sqlite

__all__ = ["FORMATS", "MEMORY", "Format", "write_failed_memory", "write_kineto"]

MEMORY = "memory"  # which a run that did not fit has, too


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
    "perfetto": Format(
        "Perfetto's own format, smaller", write_perfetto, "open it in ui.perfetto.dev"
    ),
    "sqlite": Format(
        "tables of `nsys export`", write_sqlite, "query it with sqlite3 or a recipe for nsys"
    ),
    "chakra": Format(
        "Chakra execution traces", write_chakra, "feed it to ASTRA-sim or chakra's tools"
    ),
    "csv": Format("a line for each piece of work", write_csv, "read it with anything"),
    "parquet": Format("the same as Parquet", write_parquet, "read it with polars or pandas"),
    MEMORY: Format(
        "snapshots of PyTorch's allocator",
        write_memory,
        "drop it on pytorch.org/memory_viz, or: python -m torch.cuda._memory_viz trace_plot FILE",
    ),
}
