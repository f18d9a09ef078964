"""Products of matrices as PyTorch's users write them."""

import torch
from torch import Tensor

from workshop.operators.programs.registry import Operator, Parameters, numbers, operator


@operator
def product(sizes: Parameters) -> Operator:
    """Of `left` and `right` as they lie in memory, transposed where `layout` says t."""
    turned = sizes.get("layout", "nn")
    after = getattr(torch, sizes["after"]) if "after" in sizes else None

    def run(a: Tensor, b: Tensor) -> Tensor:
        a = a.T if turned[0] == "t" else a
        b = b.T if turned[1] == "t" else b
        found = torch.matmul(a, b)
        return after(found) if after else found

    return Operator(run, (numbers(sizes, *sizes["left"]), numbers(sizes, *sizes["right"])))


@operator
def contraction(sizes: Parameters) -> Operator:
    """The last dimension of many against the first of a matrix."""
    inputs = (numbers(sizes, *sizes["left"]), numbers(sizes, *sizes["right"]))
    return Operator(lambda a, b: torch.einsum("bijl,lk->bijk", a, b), inputs)


@operator
def diagonal_product(sizes: Parameters) -> Operator:
    """A vector as a diagonal matrix."""
    rows, columns = sizes["shape"]
    inputs = (numbers(sizes, rows), numbers(sizes, rows, columns))
    return Operator(lambda a, b: torch.diag(a) @ b, inputs)
