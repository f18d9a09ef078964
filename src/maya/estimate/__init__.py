"""The duration of a kernel, library call, copy or fill on a GPU."""

from maya.estimate.chain import Chain, default_chain
from maya.estimate.measured import MeasuredWork, read_measurements
from maya.estimate.types import Estimate, Estimator, Source

__all__ = [
    "Chain",
    "Estimate",
    "Estimator",
    "MeasuredWork",
    "Source",
    "default_chain",
    "read_measurements",
]
