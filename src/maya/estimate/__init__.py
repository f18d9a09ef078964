"""The duration of a kernel, library call, copy or fill on a GPU."""

import sys
from inspect import signature
from types import ModuleType

from maya.estimate.chain import Chain, default_chain
from maya.estimate.measured import MeasuredWork, read_measurements
from maya.estimate.operators import OperatorEstimate, estimate
from maya.estimate.types import Estimate, Estimator, Source

__all__ = [
    "Chain",
    "Estimate",
    "Estimator",
    "MeasuredWork",
    "OperatorEstimate",
    "Source",
    "default_chain",
    "estimate",
    "read_measurements",
]


class _CallablePackage(ModuleType):
    """`maya.estimate(...)` is the function, whoever imported this package before."""

    __call__ = staticmethod(estimate)
    __signature__ = signature(estimate)  # `help` in Python 3.11 leaves out a parameter else


sys.modules[__name__].__class__ = _CallablePackage
