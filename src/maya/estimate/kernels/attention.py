"""Fused attention kernels that PyTorch carries: FlashAttention 2 and CUTLASS."""

import re

from maya.estimate.attention import AttentionProblem
from maya.estimate.cost import Cost
from maya.estimate.kernels.image import Image
from maya.estimate.kernels.signature import Signature
from maya.hardware import Gpu
from maya.trace import Definition

_FLAGS = re.compile(r"\b(true|false)\b")
# Offsets in Flash_fwd_params, which Flash_bwd_params begins with.
_HEADS_AT, _SIZES_AT, _WINDOW_AT = 96, 176, 328


def flash(work: Definition, name: Signature) -> AttentionProblem | None:
    """FlashAttention 2 in PyTorch: sizes from the parameter structure."""
    image = Image(work.blob)
    heads, kv_heads = image.i32(_HEADS_AT), image.i32(_HEADS_AT + 4)
    batch, queries, keys, _, dim = (image.i32(_SIZES_AT + 4 * place) for place in range(5))
    if not (0 < heads <= 4096 and batch > 0 and queries > 0 and keys > 0 and 0 < dim <= 512):
        return None
    return AttentionProblem(
        batch, heads, kv_heads or heads, queries, keys, dim, causal=_is_causal(name),
        backward=work.family.is_backward, implementation="flash2",
    )  # fmt: skip


def flash_helper(work: Definition, name: Signature, _device: Gpu) -> Cost | None:
    """What runs before and behind the main loop: each value is touched with so many bytes."""
    problem = flash(work, name)
    if not problem:
        return None
    values = problem.batch * problem.heads * problem.queries * problem.dim
    return Cost(float(values * work.family.passes))


def _is_causal(name: Signature) -> bool:
    """The second flag behind the traits: dropout, causal, local, alibi, ..."""
    flags = [argument for argument in name.template if argument in ("true", "false")]
    return len(flags) > 1 and flags[1] == "true"


def efficient(work: Definition, _name: Signature) -> AttentionProblem | None:
    """CUTLASS's memory-efficient attention: a block a tile of queries, head and batch."""
    image = Image(work.blob)
    backward = work.family.is_backward
    first = 144 if backward else 96
    dim, _, queries, keys = (image.i32(first + 4 * place) for place in range(4))
    # The last dimensions of the grid are heads and batch, in both directions.
    heads, batch = work.number("grid_y", 1), work.number("grid_z", 1)
    if not (0 < dim <= 1024 and queries > 0 and keys > 0):
        return None
    if not backward:
        queries, keys = image.i32(first + 8), image.i32(first + 12)
    masked = image.i32(first + 20) & 0xFF  # a byte; what follows it is padding
    return AttentionProblem(
        batch, heads, heads, queries, keys, dim, causal=masked in (1, 2),
        backward=backward, implementation="efficient",
        element_bytes=4 if work.family.has("single_precision") else 2,
    )  # fmt: skip
