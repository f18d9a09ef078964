"""One result for each element."""

import math

import torch
from torch import Tensor
from torch.nn import functional

from workshop.operators.programs.registry import (
    Operator,
    Parameters,
    elementwise,
    numbers,
    operator,
)


def _tanh_gelu(x: Tensor) -> Tensor:
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))
    return 0.5 * x * (1.0 + torch.tanh(inner))


elementwise("scale", lambda x: x * 3.14)
elementwise("leaky_relu", lambda x: functional.leaky_relu(x, 0.01))
elementwise("sigmoid", torch.sigmoid)
elementwise("tanh", torch.tanh)
elementwise("swish", lambda x: x * torch.sigmoid(x))
elementwise("gelu", functional.gelu)
elementwise("hardsigmoid", functional.hardsigmoid)
elementwise("softplus", functional.softplus)
elementwise("softsign", lambda x: x / (1 + torch.abs(x)))
elementwise("elu", functional.elu)
elementwise("tanh_gelu", _tanh_gelu)
elementwise("squared_relu", lambda x: torch.relu(x).pow(2))
for _name in ("abs", "cos", "exp", "neg", "reciprocal", "rsqrt", "sin"):
    elementwise(_name, getattr(torch, _name))
elementwise("pow", lambda x: torch.pow(x, 2))


@operator
def binary(sizes: Parameters) -> Operator:
    """add, mul, div, eq, ...: two tensors of one shape."""
    function = getattr(torch, sizes["function"])
    shape = sizes["shape"]
    return Operator(function, (numbers(sizes, *shape), numbers(sizes, *shape)))


@operator
def gated(sizes: Parameters) -> Operator:
    """silu of one half of the columns times the other half."""

    def run(x: Tensor) -> Tensor:
        gate, value = x.chunk(2, dim=-1)
        return functional.silu(gate) * value

    summed = sizes.get("gradients") == "of the sum"
    return Operator(run, (numbers(sizes, *sizes["shape"]),), summed=summed)
