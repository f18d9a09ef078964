"""Reading captures."""

from maya.trace.capture import Capture, CaptureError, Definition, read_capture
from maya.trace.collect import Run, collect
from maya.trace.summary import Summary, summarize
from maya.trace.table import to_arrow, to_polars

__all__ = [
    "Capture",
    "CaptureError",
    "Definition",
    "Run",
    "Summary",
    "collect",
    "read_capture",
    "summarize",
    "to_arrow",
    "to_polars",
]
