"""Fused attention kernels that PyTorch carries: FlashAttention 2 and CUTLASS."""

from dataclasses import replace

from maya.estimate.attention import AttentionProblem
from maya.estimate.cost import Cost
from maya.estimate.kernels.arguments import (
    FLASH_BYTES,
    FLASH_HEADS,
    FLASH_SIZES,
    FLASH_WINDOW,
    FMHA,
    FMHA_BACKWARD,
)
from maya.estimate.kernels.image import Image
from maya.estimate.kernels.signature import Signature
from maya.hardware import Gpu
from maya.trace import Definition


def flash(work: Definition, name: Signature) -> AttentionProblem | None:
    """FlashAttention 2 in PyTorch: sizes from the parameter structure."""
    image = Image(work.blob)
    heads, kv_heads = image.read(FLASH_HEADS)
    batch, queries, keys, _, dim = image.read(FLASH_SIZES)
    if not (0 < heads <= 4096 and batch > 0 and queries > 0 and keys > 0 and 0 < dim <= 512):
        return None
    problem = AttentionProblem(
        batch, heads, kv_heads or heads, queries, keys, dim,
        backward=work.family.is_backward, implementation="flash2",
    )  # fmt: skip
    if len(image) in FLASH_BYTES:
        return _within_window(problem, *image.read(FLASH_WINDOW))
    causal, local = _mask_flags(work, name)
    return None if local else replace(problem, causal=causal)


def _within_window(problem: AttentionProblem, left: int, right: int) -> AttentionProblem | None:
    """A causal mask is a window without keys to the right; one that shows all hides nothing."""
    if min(left, right) < -1:
        return None
    shown = left if 0 <= left < problem.keys - 1 else None
    if shown is None and right == 0:
        return replace(problem, causal=True)
    ahead = right if 0 <= right < problem.queries - 1 else None
    return replace(problem, left=shown, right=ahead)


def flash_helper(work: Definition, name: Signature, _device: Gpu) -> Cost | None:
    """What runs before and behind the main loop: each value is touched with so many bytes."""
    problem = flash(work, name)
    if not problem:
        return None
    values = problem.batch * problem.heads * problem.queries * problem.dim
    return Cost(float(values * work.family.passes))


def _mask_flags(work: Definition, name: Signature) -> tuple[bool, bool]:
    """Whether a kernel of a version that was not read is causal, and whether it has a window.

    Behind the traits stand dropout (not where keys are split), causal, local, ...
    """
    flags = [argument == "true" for argument in name.template if argument in ("true", "false")]
    first = 0 if work.family.has("no_dropout") else 1
    causal, local = (*flags[first : first + 2], False, False)[:2]
    return causal, local


def efficient(work: Definition, _name: Signature) -> AttentionProblem | None:
    """CUTLASS's memory-efficient attention: a block a tile of queries, head and batch."""
    image = Image(work.blob)
    backward = work.family.is_backward
    dim, _, queries, keys, _, mask = image.read(FMHA_BACKWARD if backward else FMHA)
    # The last dimensions of the grid are heads and batch, in both directions.
    heads, batch = work.number("grid_y", 1), work.number("grid_z", 1)
    if not (0 < dim <= 1024 and queries > 0 and keys > 0):
        return None
    masked = mask & 0xFF  # a byte; what follows it is padding
    return AttentionProblem(
        batch, heads, heads, queries, keys, dim, causal=masked in (1, 2),
        backward=backward, implementation="efficient",
        element_bytes=4 if work.family.has("single_precision") else 2,
    )  # fmt: skip
