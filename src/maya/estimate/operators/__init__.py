"""How long one operator takes: `maya.estimate(op, shapes, dtype, gpu)`."""

from maya.estimate.operators.answer import OperatorEstimate, estimate

__all__ = ["OperatorEstimate", "estimate"]
