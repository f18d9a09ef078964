"""Layers one after the other: a product or a convolution and what models put behind it."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from workshop.operators.programs.convolutions import Layer, convolution_of
from workshop.operators.programs.registry import Operator, Parameters, numbers, operator

_PLAIN: dict[str, Layer] = {
    "centre": lambda x: x - x.mean(dim=tuple(range(2, x.dim())), keepdim=True),
    "clamp": lambda x: torch.clamp(x, -1.0, 1.0),
    "clamp_min": lambda x: torch.clamp(x, min=0.0),
    "double": lambda x: x + x,
    "dropout": lambda x: functional.dropout(x, 0.2),
    "flatten": lambda x: torch.flatten(x, 1),
    "gelu": functional.gelu,
    "hard_gate": lambda x: x * torch.clamp((x + 3) / 6, 0, 1),
    "hardswish": functional.hardswish,
    "hardtanh": functional.hardtanh,
    "leaky_relu": functional.leaky_relu,
    "least_of_two": lambda x: torch.min(x, torch.zeros((), device=x.device)),
    "mish": functional.mish,
    "relu": torch.relu,
    "scale": lambda x: x * 2.0,
    "shift": lambda x: x - 0.5,
    "sigmoid": torch.sigmoid,
    "swish": lambda x: x * torch.sigmoid(x),
    "soft_gate": lambda x: torch.multiply(torch.tanh(functional.softplus(x)), x),
    "tanh": torch.tanh,
    "with_half": lambda x: x.clone() + x * 0.5,
}


def _of_numbers(function: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Layer]:
    def made(shape: Sequence[int]) -> Layer:
        values = numbers({}, *shape)
        return lambda x: function(x, values)

    return made


def _linear(inputs: int, outputs: int) -> Layer:
    weight, bias = numbers({}, outputs, inputs), numbers({}, outputs)
    return lambda x: functional.linear(x, weight, bias)


def _batch_norm(channels: int) -> Layer:
    """In training, as models are made."""
    mean, variance = numbers({}, channels), numbers({}, channels)
    weight, bias = numbers({}, channels), numbers({}, channels)
    return lambda x: functional.batch_norm(x, mean, variance, weight, bias, training=True)


def _group_norm(groups: int, channels: int) -> Layer:
    weight, bias = numbers({}, channels), numbers({}, channels)
    return lambda x: functional.group_norm(x, groups, weight, bias)


def _layer_norm(width: int) -> Layer:
    weight, bias = numbers({}, width), numbers({}, width)
    return lambda x: functional.layer_norm(x, (width,), weight, bias)


def _pool(name: str, size: int, stride: int | None = None) -> Layer:
    function = getattr(functional, name)
    return lambda x: function(x, size, stride or size)


def _global_average(dimensions: int) -> Layer:
    function = getattr(functional, f"adaptive_avg_pool{dimensions}d")
    return lambda x: function(x, 1)


def _reduced(name: str, dim: Any, keep: bool = True) -> Layer:
    function = getattr(torch, name)

    def run(x: Tensor) -> Tensor:
        found = function(x, dim=dim, keepdim=keep)
        return found if isinstance(found, Tensor) else found[0]

    return run


def _residuals(shape: Sequence[int]) -> Layer:
    """A sum, a sum, a product and a sum, three of them with what came in."""
    bias = numbers({}, *shape)

    def run(x: Tensor) -> Tensor:
        first = x.clone()
        return (x + bias + first) * first + first

    return run


def _softmax(dim: int) -> Layer:
    return lambda x: torch.softmax(x, dim=dim)


_MADE: dict[str, Callable[..., Layer]] = {
    "add": _of_numbers(lambda x, y: x + y),
    "multiply": _of_numbers(lambda x, y: x * y),
    "batch_norm": _batch_norm,
    "convolution": convolution_of,
    "global_average": _global_average,
    "group_norm": _group_norm,
    "instance_norm": lambda: functional.instance_norm,
    "layer_norm": _layer_norm,
    "linear": _linear,
    "pool": _pool,
    "reduced": _reduced,
    "residuals": _residuals,
    "softmax": _softmax,
}


@operator
def chain(sizes: Parameters) -> Operator:
    """Each of `steps` is a name, or a list of a name and what its layer is made of."""
    layers = [_layer(step) for step in sizes["steps"]]

    def run(x: Tensor) -> Tensor:
        for layer in layers:
            x = layer(x)
        return x

    return Operator(run, (numbers(sizes, *sizes["shape"]),))


def _layer(step: str | list[Any]) -> Layer:
    return _PLAIN[step] if isinstance(step, str) else _MADE[step[0]](*step[1:])
