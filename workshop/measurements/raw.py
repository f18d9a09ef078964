"""Readers of raw files: each gives one table of figures."""

import csv
import gzip
import json
import re
from pathlib import Path
from typing import Any

import polars as pl

_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
_PARAMETER = re.compile(r"\b\w+ ?= ?[\w.]+")
_DEVICE = ("kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset")
_RUNTIME = ("cuda_runtime", "runtime", "cuda_driver")
# Calls that wait for the device.
_SYNCS = ("cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize")
_SPAN = {"kind": pl.String, "start_ns": pl.Int64, "end_ns": pl.Int64, "name": pl.String,
         "lane": pl.String, "correlation": pl.Int64}  # fmt: skip


def read_csv(path: Path) -> pl.DataFrame:
    """A CSV file with a header, compressed or not."""
    return pl.read_csv(path, infer_schema_length=10_000)


def read_deepbench(path: Path) -> pl.DataFrame:
    """Rows of figures of a sheet, each with the title of its section."""
    rows = []
    section = ""
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.reader(file):
            cells = [cell.strip() for cell in row]
            if cells and cells[0]:
                section = cells[0]
            elif len(cells) > 8 and cells[2].isdigit():
                rows.append({"section": section, "cells": cells})
    return pl.DataFrame(rows, schema={"section": pl.String, "cells": pl.List(pl.String)})


def read_figures(path: Path) -> pl.DataFrame:
    """The numbers of each line of a program's output; clocks that it printed are no figures."""
    rows = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        values = [float(found) for found in _NUMBER.findall(_apart(line))]
        if values and not line.startswith("clock"):
            rows.append({"line": number, "values": values})
    return pl.DataFrame(rows, schema={"line": pl.Int64, "values": pl.List(pl.Float64)})


def _apart(line: str) -> str:
    """Units stand right behind some numbers."""
    return re.sub(r"(\d)(kB|ms|%)", r"\1 ", line)


def read_torchao(path: Path) -> pl.DataFrame:
    """Tables in long form; of the sentence before a table only `name = value` is kept."""
    table = read_csv(path)
    found = [", ".join(_PARAMETER.findall(text or "")) for text in table["context"]]
    return table.with_columns(pl.Series("parameters", found)).drop("context")


def read_trace(path: Path) -> pl.DataFrame:
    """What a replay needs of a profiler's trace: launches, what they started, waits and steps."""
    with gzip.open(path) as file:
        loaded = json.load(file)
    events = loaded["traceEvents"] if isinstance(loaded, dict) else loaded
    spans = [event for event in events if event.get("ph") == "X"]
    work = [_span("work", e, e["args"]["stream"]) for e in spans if _category(e) in _DEVICE]
    launched = {row["correlation"] for row in work}
    calls = [_span("call", e, e["tid"]) for e in spans if _category(e) in _RUNTIME]
    calls = [row for row in calls if row["correlation"] in launched or row["name"] in _SYNCS]
    steps = [_span("step", e, "") for e in spans if e["name"].startswith("ProfilerStep")]
    return pl.DataFrame([*calls, *work, *steps], schema=_SPAN)


def _category(event: dict[str, Any]) -> str:
    return str(event.get("cat")).lower()


def _span(kind: str, event: dict[str, Any], lane: Any) -> dict[str, Any]:
    start_ns = round(event["ts"] * 1e3)
    return {
        "kind": kind,
        "start_ns": start_ns,
        "end_ns": start_ns + round(event["dur"] * 1e3),
        "name": event["name"],
        "lane": str(lane),
        "correlation": event.get("args", {}).get("correlation", -1),
    }
