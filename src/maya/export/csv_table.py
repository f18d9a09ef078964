"""Every piece of device work as a row of CSV or Parquet: when, where, how long, and its name."""

import csv
from pathlib import Path

from maya.analyze.predicting import Prediction
from maya.export.files import written
from maya.export.rank_spans import RankSpans, Work
from maya.export.spans import spans_of
from maya.frames import polars
from maya.trace.format import Kind

_TEXTS = ("kind", "name")
COLUMNS = ("rank", "step", "stream", "start_ns", "duration_ns", "kind", "name", "bytes")


def write_csv(prediction: Prediction, directory: Path) -> list[Path]:
    """Write rank{N}_work.csv for every launched rank."""

    def write(spans: RankSpans, path: Path) -> None:
        with path.open("w", newline="", encoding="utf-8") as file:
            table = csv.writer(file)
            table.writerow(COLUMNS)
            table.writerows(_row(spans, work) for work in spans.works)

    return written(spans_of(prediction), directory, "rank{rank}_work.csv", write)


def write_parquet(prediction: Prediction, directory: Path) -> list[Path]:
    """Write rank{N}_work.parquet for every launched rank."""
    pl = polars("writing Parquet")

    def write(spans: RankSpans, path: Path) -> None:
        rows = [_row(spans, work) for work in spans.works]
        kinds = {name: pl.String if name in _TEXTS else pl.Int64 for name in COLUMNS}
        pl.DataFrame(rows, schema=kinds, orient="row").write_parquet(path)

    return written(spans_of(prediction), directory, "rank{rank}_work.parquet", write)


def _row(spans: RankSpans, work: Work) -> tuple[object, ...]:
    inside = (n for n, (low, high) in enumerate(spans.steps) if low <= work.begin_ns < high)
    duration = work.end_ns - work.begin_ns
    kind = Kind(work.definition.kind).name.lower()
    moved = work.definition.number("bytes") or None
    where = spans.rank, next(inside, None), work.stream
    return *where, work.begin_ns, duration, kind, work.name, moved
