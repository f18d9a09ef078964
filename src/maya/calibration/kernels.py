"""Kernels of PyTorch made from what a trace tells: name and launch, and the operator's sizes.

Where a kernel finds its sizes is known to the estimators; here the same places are filled.
"""

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

from maya.calibration.spans import TracedKernel, TracedOperator
from maya.estimate.kernels import arguments
from maya.estimate.kernels.arguments import Place
from maya.estimate.kernels.image import POINTER
from maya.families import family_of
from maya.trace import Definition
from maya.trace.format import Kind

_AXES = ("x", "y", "z")
_MOST_A_THREAD = 32  # elements of an elementwise kernel
_MOST = (1 << 31) - 1  # what a kernel takes as a size
_FLASH_BYTES = min(arguments.FLASH_BYTES)


def kernel_work(launch: TracedKernel) -> Definition | None:
    """The launch as the recorder would have written it; None where sizes are not to be had."""
    family, operator = family_of(launch.kernel), launch.operator
    image = _image(family.cost, family.is_backward, launch, operator) if operator else None
    if image is None:
        return None
    if family.cost == "elementwise" and family.reader != "contiguous":
        return None  # strides are not in the trace
    return Definition(0, "kernel", Kind.KERNEL, launch_fields(launch), blob=image)


def launch_fields(launch: TracedKernel) -> dict[str, int | str]:
    """What names the launch: kernel, grid, block."""
    grid = {f"grid_{axis}": side for axis, side in zip(_AXES, launch.grid, strict=True)}
    block = {f"block_{axis}": side for axis, side in zip(_AXES, launch.block, strict=True)}
    return {"kernel": launch.kernel, **grid, **block}


def _image(
    cost: str, backward: bool, launch: TracedKernel, operator: TracedOperator
) -> bytes | None:
    shape = next((dims for dims in operator.dims if dims), ())
    if not shape or min(shape) <= 0:
        return None
    if cost == "elementwise":
        return _elementwise(launch, operator)
    word, make = _IMAGES.get(cost, ("", None))
    if make is None or backward or word not in operator.name:
        return None
    return make(operator, shape)


def _layer_norm(operator: TracedOperator, shape: tuple[int, ...]) -> bytes:
    weight = operator.dims[2] if len(operator.dims) > 2 else ()
    return _filled(_Ints(arguments.COUNT, [prod(weight or shape[-1:])]))


def _softmax_of_warp(_operator: TracedOperator, shape: tuple[int, ...]) -> bytes:
    sizes = [prod(shape[:-1]), shape[-1], shape[-1]]
    return _filled(_Ints(arguments.SOFTMAX_OF_WARP, sizes))


def _softmax(_operator: TracedOperator, shape: tuple[int, ...]) -> bytes:
    return struct.pack("<QQi", POINTER, POINTER, shape[-1])


def _elementwise(launch: TracedKernel, operator: TracedOperator) -> bytes | None:
    """The largest operand, if that many elements keep the launched threads busy."""
    count = max(prod(dims) for dims in operator.dims if dims)
    threads = prod(launch.grid) * prod(launch.block)
    if not threads - prod(launch.block) < count <= threads * _MOST_A_THREAD:
        return None
    return struct.pack("<i", count) if count < 1 << 31 else None


def _flash(operator: TracedOperator, _shape: tuple[int, ...]) -> bytes | None:
    """q, k and v: batch, length, heads, head size."""
    if len(operator.dims) < 2 or any(len(dims) != 4 for dims in operator.dims[:2]):
        return None
    (batch, queries, heads, size), (_, keys, kv_heads, _) = operator.dims[:2]
    return _filled(
        _Ints(arguments.FLASH_HEADS, [heads, kv_heads]),
        _Ints(arguments.FLASH_SIZES, [batch, queries, keys, 0, size]),
        _Ints(arguments.FLASH_WINDOW, [-1, -1]),
        size=_FLASH_BYTES,
    )


# By the cost function of the family that reads it, forward; and a word in the operator's name:
# sizes of any other operator are not those of the kernel.
_IMAGES: dict[str, tuple[str, Callable[[TracedOperator, tuple[int, ...]], bytes | None]]] = {
    "layer_norm": ("layer_norm", _layer_norm),
    "softmax_of_warp": ("softmax", _softmax_of_warp),
    "softmax": ("softmax", _softmax),
    "flash_attention": ("flash_attention", _flash),
}


@dataclass(frozen=True, slots=True)
class _Ints:
    place: Place
    values: Sequence[int]


def _filled(*parts: _Ints, size: int = 0) -> bytes:
    """A parameter image with integers at their places and zeros elsewhere."""
    ends = [part.place.at + part.place.width * part.place.count for part in parts]
    image = bytearray(max(size, *ends))
    for part in parts:
        form = "i" if part.place.width == 4 else "q"
        kept = [min(value, _MOST) for value in part.values]
        struct.pack_into(f"<{len(kept)}{form}", image, part.place.at, *kept)
    return bytes(image)
