"""Sizes of KernelBench's convolutions, however a problem names them."""

from dataclasses import dataclass
from typing import Any

# Versions of PyTorch differ in the library: those measured since are the current one.
CURRENT = "2025-12"


@dataclass(frozen=True, slots=True)
class Layer:
    """A convolution of the benchmark, forward."""

    n: int
    channels: int
    outs: int
    size: tuple[int, ...]
    filter: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]
    groups: int
    transposed: bool
    output_padding: tuple[int, ...]


# Problems of level 1 whose inputs are named otherwise than the rest.
_SIZES = {
    58: ("depth_in", "height_in", "width_in"),
    59: ("height", "width", "depth"),
    68: ("depth", "width", "height"),
    69: ("height_in", "width_in"),
    81: ("height_in", "width_in"),
    84: ("height_in", "width_in"),
}
_ALEXNET = {
    "in_channels": 3, "out_channels": 96, "kernel_size": 11, "stride": 4, "padding": 2,
    "height": 224, "width": 224,
}  # fmt: skip  # problem 50 has them in its code


_TUPLES = ("(height, width)", "(depth, height, width)", "(D, H, W)")


def layer_of(number: int, constants: dict[str, Any], transposed: bool) -> Layer:
    """From the constants of a problem; 0 where it names its sizes as most do."""
    given = constants | (_ALEXNET if number == 50 else {})
    size = _size(number, given)

    def each(name: str, usual: int) -> tuple[int, ...]:
        value = given.get(name, usual)
        return tuple(value) if isinstance(value, list) else (value,) * len(size)

    taps = each("kernel_size", 1)
    if number == 59:
        taps = (*taps[:2], 1)
    if number == 68:
        taps = tuple(given[f"kernel_{side}"] for side in ("depth", "width", "height"))
    return Layer(
        given["batch_size"], given["in_channels"], given["out_channels"], size, taps,
        each("stride", 1), each("padding", 0), each("dilation", 1), given.get("groups", 1),
        transposed, each("output_padding", 0),
    )  # fmt: skip


def _size(number: int, given: dict[str, Any]) -> tuple[int, ...]:
    named = next((given[name] for name in _TUPLES if name in given), None)
    if named:
        return tuple(named)
    if "length" in given:
        return (int(given["length"]),)
    if "height" in given and "width" not in given and number not in _SIZES:
        sides = (given["height"],) * 2
        return (given["depth"], *sides) if "depth" in given else sides
    usual = ("depth", "height", "width") if "depth" in given else ("height", "width")
    return tuple(int(given[name]) for name in _SIZES.get(number, usual))
