"""Exams for plugins: inherit from one in your own tests."""

from maya.testing.estimators import EstimatorConformance

__all__ = ["EstimatorConformance"]
