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
        places = torch.arange(1, x.shape[-1] + 1, device=x.device, dtype=x.dtype)
        sums = ordered.cumsum(dim=-1) - 1
        support = (ordered - sums / places > 0).sum(dim=-1, keepdim=True)
        threshold = sums.gather(-1, support - 1) / support.to(x.dtype)
        return torch.clamp(x - threshold, min=0)

    return Operator(run, (numbers(sizes, *sizes["shape"]),))
