"""KernelBench's products and convolutions (level 1) as programs of ours."""

from collections.abc import Callable
from typing import Any

from workshop.operators.sources.kernelbench_sizes import Layer, layer_of

Constants = dict[str, Any]
Read = Callable[[Constants], tuple[str, dict[str, Any]]]


def _product(left: str, right: str, layout: str = "nn", **more: Any) -> Read:
    """Words name sizes; each matrix as it lies in memory."""
    wanted = {} if layout == "nn" else {"layout": layout}

    def read(c: Constants) -> tuple[str, dict[str, Any]]:
        shapes = {side: [c[name] for name in names.split()] for side, names in
                  (("left", left), ("right", right))}  # fmt: skip
        return "product", {**shapes, **wanted, **more}

    return read


def _contraction(c: Constants) -> tuple[str, dict[str, Any]]:
    return "contraction", {"left": [c[n] for n in "bijl"], "right": [c["l"], c["k"]]}


PRODUCTS: dict[int, Read] = {
    1: _product("N N", "N N"),
    2: _product("M K", "K N"),
    3: _product("batch_size m k", "batch_size k n"),
    6: _product("M K", "K N"),
    8: _product("M K", "K N"),
    9: _product("M N", "N M"),
    10: _product("N M K", "K L"),
    11: _contraction,
    12: lambda c: ("diagonal_product", {"shape": [c["N"], c["M"]]}),
    13: _product("N N", "N N"),
    14: _product("N N", "N N", after="triu"),
    15: _product("M M", "M M", after="tril"),
    17: _product("M K", "N K", "nt"),
    18: _product("K M", "N K", "tt"),
}
TRANSPOSED = (58, 61, 65, 68, 69, 70, 72, 73, 74, 75, 78, 81)
CONVOLUTIONS = (*TRANSPOSED, 50, 55, 56, 59, 60, 62, 63, 67, 76, 80, 82, 84, 86, 87)
_DEPTHWISE, _SEPARABLE = (82, 84), 86


def layer_sizes(layer: Layer, **more: Any) -> dict[str, Any]:
    """As the programs of convolutions take them, without what is usual."""
    usual = {"stride": 1, "padding": 0, "dilation": 1, "output_padding": 0}
    places = {
        name: list(getattr(layer, name))
        for name, value in usual.items()
        if any(side != value for side in getattr(layer, name))
    }
    marks = {"transposed": True} if layer.transposed else {}
    groups = {"groups": layer.groups} if layer.groups > 1 else {}
    sides = {"size": list(layer.size), "kernel_size": list(layer.filter)}
    counts = {"n": layer.n, "channels": layer.channels, "outs": layer.outs}
    return {**counts, **sides, **places, **groups, **marks, **more}


def convolution(number: int, c: Constants) -> tuple[str, dict[str, Any]]:
    """A problem of level 1."""
    if number in _DEPTHWISE:
        c = {**c, "out_channels": c["in_channels"], "groups": c["in_channels"]}
    layer = layer_of(number, c, number in TRANSPOSED)
    more = {"bias": True} if number == 50 else {}  # AlexNet's first layer
    name = "separable_convolution" if number == _SEPARABLE else "convolution"
    return name, layer_sizes(layer, **more)
