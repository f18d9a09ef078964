"""Whatever is given for a trace: it is read, or refused with the file's name and a way on."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tiny_trace

from maya.calibration import read_traces
from maya.calibration.sqlite_tables import open_tables
from maya.errors import MayaError


def refused(path: Path) -> str:
    with pytest.raises(MayaError) as caught:
        read_traces([path])
    assert path.name in caught.value.message
    assert caught.value.hint
    return caught.value.message


def test_no_trace_and_a_missing_one_are_told(tmp_path: Path) -> None:
    with pytest.raises(MayaError, match="no trace was given"):
        read_traces([])
    assert "No such file" in refused(tmp_path / "none.json")
    assert "directory" in refused(tmp_path)


def test_a_file_that_was_cut_short_is_no_smaller_trace(tmp_path: Path) -> None:
    whole = tiny_trace.write(tmp_path / "whole.json.gz").read_bytes()
    cut = tmp_path / "cut.json.gz"
    cut.write_bytes(whole[: len(whole) // 2])
    assert "cut short" in refused(cut)
    cut.write_bytes(whole[:20] + b"\xff" * 40)
    assert "damaged" in refused(cut)
    text = tmp_path / "cut.json"
    text.write_bytes(tiny_trace.write(tmp_path / "whole.json").read_bytes()[:-30])
    assert "cut short" in refused(text)


def test_a_trace_without_kernels_is_no_calibration(tmp_path: Path) -> None:
    host = [event for event in tiny_trace.events() if event["cat"] != "kernel"]
    assert "holds no kernels" in refused(
        tiny_trace.write(tmp_path / "h.json", {"traceEvents": host})
    )
    assert "no traceEvents" in refused(tiny_trace.write(tmp_path / "n.json", {"other": 1}))
    (tmp_path / "e.sqlite").write_bytes(b"SQLite format 3\0" + b"\0" * 100)
    assert "export of nsys" in refused(tmp_path / "e.sqlite")


def test_an_export_whose_rows_have_no_end_is_refused(tmp_path: Path) -> None:
    """A view may compute without end, and damaged pages may be their own children."""
    path = tiny_trace.write_nsys(tmp_path / "view.sqlite", "k", 7_000)
    with closing(sqlite3.connect(path)) as base:
        base.execute("DROP TABLE StringIds")
        base.execute(
            "CREATE VIEW StringIds AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 "
            "FROM n) SELECT id, 'name' AS value FROM n"
        )
    assert "no table StringIds" in refused(path)
    whole = tiny_trace.write_nsys(tmp_path / "rows.sqlite", "k", 7_000)
    with open_tables(whole) as tables, pytest.raises(sqlite3.DatabaseError, match="more rows"):
        list(replace(tables, most_rows=0).rows("StringIds", ("id", "value")))


def test_an_export_with_a_name_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tiny_trace.write_nsys(tmp_path / "name.sqlite", "k", 7_000)
    path.write_bytes(path.read_bytes().replace(b"demangledName", b"demangled\xc1ame"))
    assert "export of nsys" in refused(path)


@pytest.mark.parametrize(
    ("field", "value"),
    [("dur", -1.0), ("dur", float("nan")), ("dur", 1e30), ("dur", "long"), ("grid", [1, 2]),
     ("grid", [1 << 60, 1, 1]), ("block", None), ("block", [-1, 1, 1])],
)  # fmt: skip
def test_numbers_that_no_profiler_writes_are_refused(
    tmp_path: Path, field: str, value: Any
) -> None:
    told = tiny_trace.events()
    kernel = next(event for event in told if event["cat"] == "kernel")
    (kernel if field == "dur" else kernel["args"])[field] = value
    path = tiny_trace.write(tmp_path / "t.json", tiny_trace.document(told))
    assert tiny_trace.GEMM in refused(path)
