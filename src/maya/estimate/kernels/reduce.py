"""PyTorch's reduce_kernel, whose configuration stands in its parameters."""

from typing import NamedTuple

from maya.estimate.cost import Cost
from maya.estimate.kernels.image import Image
from maya.estimate.kernels.launch import blocks, occupancy, threads_per_block
from maya.estimate.kernels.signature import Signature, element_sizes, template_arguments
from maya.families import layout
from maya.hardware import Gpu
from maya.trace import Definition
from maya.trace.format import REACH

_CONFIG = layout("at::native::ReduceConfig")
_FIELDS = (
    "block_width",
    "block_height",
    "element_size_bytes",
    "num_inputs",
    "num_outputs",
    "ctas_per_output",
)
_PASS_NS = 1500.0  # global reduction: partial results, a fence and a last block


class Configuration(NamedTuple):
    """What a reduction does."""

    element_bytes: int  # of what is summed
    inputs: int  # an output
    outputs: int
    blocks: int  # an output


def cost(work: Definition, name: Signature, device: Gpu) -> Cost | None:
    """Reads every input once, writes every output once."""
    found = configuration(work, Image(work.blob))
    types = template_arguments(name.name, "ReduceOp")
    in_bytes = next(iter(element_sizes(types[0])), 4) if types else 4
    if not found:
        # No size in sight: a thread reads 16 values of 4 bytes or so.
        moved = float(blocks(work) * threads_per_block(work) * 16 * in_bytes)
        return Cost(moved, occupancy=occupancy(work, device), guessed=True)
    return _cost(work, device, found, in_bytes)


def at_run_time(work: Definition, _name: Signature, device: Gpu) -> Cost | None:
    """Compiled by NVRTC. An element is as wide as what it is summed in, or narrower where less
    lies behind the addresses."""
    found, reach = configuration(work, Image(work.blob)), work.number(REACH)
    if not found or not reach:
        return None
    width, inputs, outputs = found.element_bytes, found.inputs, found.outputs
    while width > 1 and width * inputs * outputs > reach:
        width //= 2
    return _cost(work, device, found, width)


def _cost(work: Definition, device: Gpu, found: Configuration, in_bytes: int) -> Cost:
    inputs, outputs, ctas = found.inputs, found.outputs, found.blocks
    moved = float(inputs * outputs * in_bytes + outputs * max(4, in_bytes))
    serial = _PASS_NS if ctas > 1 else 0.0
    return Cost(moved, serial_ns=serial, occupancy=occupancy(work, device, 256), kind="reduction")


def configuration(work: Definition, image: Image) -> Configuration | None:
    """From ReduceConfig.

    It stands behind the operation's state, whose size varies: found by its block dimensions.
    """
    block = work.number("block_x", 1), work.number("block_y", 1)
    for offset in range(4, 72, 4):
        width, height, element_bytes, inputs, outputs, ctas = (
            image.u32(offset + _CONFIG.at(name)) for name in _FIELDS
        )
        fits = (width, height) == block and element_bytes in (1, 2, 4, 8, 16, 24, 32)
        if fits and inputs and outputs:
            return Configuration(element_bytes, inputs, outputs, max(1, ctas))
    return None
