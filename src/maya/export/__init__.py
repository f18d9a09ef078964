"""Predictions in the formats of other tools."""

from maya.export.kineto import write_kineto

__all__ = ["write_kineto"]
