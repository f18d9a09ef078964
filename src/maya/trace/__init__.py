"""Reading captures."""

from maya.trace.blocks import has_steps
from maya.trace.call_count import CallCounter
from maya.trace.capture import Capture, CaptureError, Definition, read_capture
from maya.trace.collecting import Run, collect
from maya.trace.summary import CallCounts, summarize
from maya.trace.table import to_polars

__all__ = [
    "CallCounter",
    "CallCounts",
    "Capture",
    "CaptureError",
    "Definition",
    "Run",
    "collect",
    "has_steps",
    "read_capture",
    "summarize",
    "to_polars",
]
