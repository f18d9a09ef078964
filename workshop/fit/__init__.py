"""Fits the estimators to published measurements."""
