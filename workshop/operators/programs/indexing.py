"""Rows that indices choose."""

import torch
from torch import Tensor
from torch.nn import functional

from workshop.operators.programs.registry import Operator, Parameters, indices, numbers, operator


@operator
def embedding(sizes: Parameters) -> Operator:
    """Random rows of a table."""
    table = numbers(sizes, sizes["rows"], sizes["columns"])
    places = indices(sizes["rows"], *sizes["shape"])
    return Operator(lambda weight, at: functional.embedding(at, weight), (table, places))


@operator
def sparsemax(sizes: Parameters) -> Operator:
    """A projection that sorts each row."""

    def run(x: Tensor) -> Tensor:
        ordered, _ = torch.sort(x, dim=-1, descending=True)
        sums = ordered.cumsum(dim=-1)
        places = torch.arange(1, x.shape[-1] + 1, device=x.device, dtype=x.dtype).view(1, -1)
        support = places * ordered + 1 > sums
        count = support.sum(dim=-1, keepdim=True).clamp(min=1)
        supported = (ordered * support).sum(dim=-1, keepdim=True)
        return torch.clamp(x - (supported - 1) / count, min=0)

    return Operator(run, (numbers(sizes, *sizes["shape"]),))
