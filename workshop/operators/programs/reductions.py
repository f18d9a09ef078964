"""Sums and the like over one dimension or all."""

import torch
from torch import Tensor

from workshop.operators.programs.registry import Operator, Parameters, numbers, operator


@operator
def reduction(sizes: Parameters) -> Operator:
    """sum, mean, amax, prod, argmax, ... over `dim`."""
    function, dim = getattr(torch, sizes["function"]), sizes["dim"]

    def run(x: Tensor) -> Tensor:
        found = function(x, dim=dim)
        return found if isinstance(found, Tensor) else found[0]

    return Operator(run, (numbers(sizes, *sizes["shape"]),))


@operator
def whole_reduction(sizes: Parameters) -> Operator:
    """Over all elements."""
    return Operator(getattr(torch, sizes["function"]), (numbers(sizes, *sizes["shape"]),))
