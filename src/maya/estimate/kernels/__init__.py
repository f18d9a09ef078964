"""Kernels by name and parameters."""
