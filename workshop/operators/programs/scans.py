"""Cumulative sums and products along rows."""

import torch
from torch import Tensor

from workshop.operators.programs.registry import Operator, Parameters, numbers, operator


@operator
def scan(sizes: Parameters) -> Operator:
    """cumsum or cumprod of the last dimension."""
    function = getattr(torch, sizes["function"])
    return Operator(lambda x: function(x, dim=-1), (numbers(sizes, *sizes["shape"]),))


@operator
def reversed_scan(sizes: Parameters) -> Operator:
    """From the end of each row."""

    def run(x: Tensor) -> Tensor:
        return torch.cumsum(x.flip(-1), dim=-1).flip(-1)

    return Operator(run, (numbers(sizes, *sizes["shape"]),))


@operator
def exclusive_scan(sizes: Parameters) -> Operator:
    """Each sum without its own element."""

    def run(x: Tensor) -> Tensor:
        shifted = torch.cat((torch.zeros_like(x.select(-1, 0).unsqueeze(-1)), x), dim=-1)
        return torch.cumsum(shifted[:-1], dim=-1)

    return Operator(run, (numbers(sizes, *sizes["shape"]),))


@operator
def masked_scan(sizes: Parameters) -> Operator:
    """Of the elements that a mask chooses."""
    shape = sizes["shape"]
    mask = torch.empty(shape, dtype=torch.bool, device="cuda")
    return Operator(lambda x, m: torch.cumsum(x * m, dim=-1), (numbers(sizes, *shape), mask))
