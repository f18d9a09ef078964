"""Normalisations, softmax among them."""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from workshop.operators.programs.registry import Operator, Parameters, numbers, operator

_EPSILON = 1e-6


@operator
def group_norm(sizes: Parameters) -> Operator:
    """With a weight and a bias for each channel."""
    shape, groups = sizes["shape"], sizes["groups"]
    weight, bias = numbers(sizes, shape[1]), numbers(sizes, shape[1])
    return Operator(
        lambda x, w, b: functional.group_norm(x, groups, w, b),
        (numbers(sizes, *shape), weight, bias),
    )


@operator
def layer_norm(sizes: Parameters) -> Operator:
    """Over all dimensions behind the first `outer`."""
    shape = sizes["shape"]
    inner = shape[sizes.get("outer", 1) :]
    return Operator(
        lambda x, w, b: functional.layer_norm(x, inner, w, b),
        (numbers(sizes, *shape), numbers(sizes, *inner), numbers(sizes, *inner)),
    )


@operator
def batch_norm(sizes: Parameters) -> Operator:
    """In training, with running statistics."""
    shape = sizes["shape"]
    norm = torch.nn.BatchNorm1d(shape[1], device="cuda")
    return Operator(norm, (numbers(sizes, *shape),))


@operator
def fused_rms_norm(sizes: Parameters) -> Operator:
    """PyTorch's own."""
    shape = sizes["shape"]
    return Operator(
        lambda x, w: functional.rms_norm(x, shape[-1:], w, _EPSILON),
        (numbers(sizes, *shape), numbers(sizes, shape[-1])),
    )


def _plain_rms_norm(x: Tensor, weight: Tensor) -> Tensor:
    wide = x.to(torch.float32)
    variance = wide.pow(2).mean(-1, keepdim=True)
    return weight * (wide * torch.rsqrt(variance + _EPSILON)).to(x.dtype)


@operator
def rms_norm(sizes: Parameters) -> Operator:
    """Operator by operator, in fp32, as models of Llama's kind have it. Where the weight is wider
    than the input, so is the result; a gradient in the input's type is then cast."""
    x, weight = _input_and_weight(sizes)
    given = (x,) if sizes.get("gradients") == "of the input's type" else ()
    return Operator(
        _plain_rms_norm, (x, weight), given=given, drawn=sizes.get("gradients") == "drawn"
    )


@operator
def added_rms_norm(sizes: Parameters) -> Operator:
    """Of the sum of an input and what goes past it; the sum goes on as a second result."""

    def run(x: Tensor, past: Tensor, weight: Tensor) -> Any:
        added = x + past
        scaled = _plain_rms_norm(added, weight)
        return (scaled, added) if sizes.get("results") == "both" else scaled

    x, weight = _input_and_weight(sizes)
    return Operator(run, (x, numbers(sizes, *sizes["shape"]), weight))


def _input_and_weight(sizes: Parameters) -> tuple[Tensor, Tensor]:
    wide = {"dtype": sizes["weight"]} if "weight" in sizes else {}
    shape = sizes["shape"]
    return numbers(sizes, *shape), numbers({**sizes, **wide}, shape[-1])


@operator
def softmax(sizes: Parameters) -> Operator:
    """Of the last dimension, or its logarithm."""
    function = getattr(torch, sizes.get("function", "softmax"))
    return Operator(lambda x: function(x, dim=-1), (numbers(sizes, *sizes["shape"]),))


@operator
def scaled_by_norm(sizes: Parameters) -> Operator:
    """Divided by a norm of each row (l1, l2) or of everything (frobenius)."""

    def frobenius(x: Tensor) -> Tensor:
        return x / torch.norm(x, p="fro")

    def mean_absolute(x: Tensor) -> Tensor:
        return x / torch.mean(torch.abs(x), dim=1, keepdim=True)

    def euclidean(x: Tensor) -> Tensor:
        return x / torch.norm(x, p=2, dim=1, keepdim=True)

    run = {"frobenius": frobenius, "l1": mean_absolute, "l2": euclidean}[sizes["norm"]]
    return Operator(run, (numbers(sizes, *sizes["shape"]),))
