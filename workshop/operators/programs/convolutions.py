"""Convolutions of planar tensors in one to three dimensions."""

from collections.abc import Callable
from typing import Any

from torch import Tensor
from torch.nn import functional

from workshop.operators.programs.registry import Operator, Parameters, numbers, operator

_PLACES = ("stride", "padding", "dilation")
Layer = Callable[[Tensor], Tensor]


def convolution_of(sizes: Parameters) -> Layer:
    """A layer with its weights."""
    transposed, groups = sizes.get("transposed", False), sizes.get("groups", 1)
    taps, outs, channels = sizes["kernel_size"], sizes["outs"], sizes["channels"]
    name = f"conv_transpose{len(taps)}d" if transposed else f"conv{len(taps)}d"
    function = getattr(functional, name)
    shape = (channels, outs // groups) if transposed else (outs, channels // groups)
    weight = numbers(sizes, *shape, *taps)
    bias = numbers(sizes, outs) if sizes.get("bias") else None
    more: dict[str, Any] = {name: tuple(sizes[name]) for name in _PLACES if name in sizes}
    if transposed and any(sizes.get("output_padding", ())):
        more["output_padding"] = tuple(sizes["output_padding"])

    def run(x: Tensor) -> Tensor:
        found: Tensor = function(x, weight, bias, groups=groups, **more)
        return found

    return run


@operator
def convolution(sizes: Parameters) -> Operator:
    """Forward, or transposed."""
    layer = convolution_of(sizes)
    return Operator(layer, (numbers(sizes, sizes["n"], sizes["channels"], *sizes["size"]),))


@operator
def separable_convolution(sizes: Parameters) -> Operator:
    """A filter for each channel, then a product for each point."""
    channels = sizes["channels"]
    own = convolution_of({**sizes, "outs": channels, "groups": channels})
    point = {"channels": channels, "outs": sizes["outs"], "kernel_size": [1, 1]}
    mixed = convolution_of(point)
    inputs = (numbers(sizes, sizes["n"], channels, *sizes["size"]),)
    return Operator(lambda x: mixed(own(x)), inputs)
