"""The answer as typed data: what is printed, stored and compared."""

from maya.summary.document import SCHEMA_VERSION, Summary
from maya.summary.kernels import KernelRow
from maya.summary.options import MeasurementsFile, PredictionOptions
from maya.summary.store import (
    KeptPrediction,
    describe_kept,
    keep_prediction,
    kept_names,
    prediction_name,
    read_prediction,
    write_prediction,
)

__all__ = [
    "SCHEMA_VERSION",
    "KeptPrediction",
    "KernelRow",
    "MeasurementsFile",
    "PredictionOptions",
    "Summary",
    "describe_kept",
    "keep_prediction",
    "kept_names",
    "prediction_name",
    "read_prediction",
    "write_prediction",
]
