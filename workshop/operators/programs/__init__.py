"""Operators as small programs; only `record` imports them, inside the emulation."""

from workshop.operators.programs import (
    activations,
    chains,
    convolutions,
    indexing,
    losses,
    norms,
    pooling,
    products,
    reductions,
    rotary,
    scans,
    transformers,
)
from workshop.operators.programs.registry import Operator, find_operator

__all__ = [
    "Operator",
    "activations",
    "chains",
    "convolutions",
    "find_operator",
    "indexing",
    "losses",
    "norms",
    "pooling",
    "products",
    "reductions",
    "rotary",
    "scans",
    "transformers",
]
