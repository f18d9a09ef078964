"""Operators as small programs; only `record` imports them, inside the emulation."""

from workshop.operators.programs import (
    activations,
    indexing,
    losses,
    norms,
    pooling,
    reductions,
    rotary,
    scans,
)
from workshop.operators.programs.registry import Operator, find_operator

__all__ = [
    "Operator",
    "activations",
    "find_operator",
    "indexing",
    "losses",
    "norms",
    "pooling",
    "reductions",
    "rotary",
    "scans",
]
