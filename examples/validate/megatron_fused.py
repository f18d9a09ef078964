"""Fused operations of Megatron's layers, in Triton.

Megatron has a CUDA kernel for the softmax of causal attention, which touches what is on and left
of the diagonal only (the result is filled up with zeros), and leaves bias, dropout and residual
addition to one kernel of TorchScript. Kernels are launched as compiled: what Triton does on the
host to find them would weigh more than the call of an extension does.
"""

from itertools import count
from typing import Any

import torch
import triton
import triton.language as tl

BLOCK = 1024
seeds = count(1)
compiled: dict[Any, Any] = {}


@triton.jit
def softmax_forward(scores, out, length, block: tl.constexpr):
    row = tl.program_id(0)
    start = (tl.program_id(1).to(tl.int64) * length + row) * length
    column = tl.arange(0, block)
    x = tl.load(scores + start + column, mask=column <= row, other=float("-inf")).to(tl.float32)
    y = tl.exp(x - tl.max(x, 0))
    tl.store(out + start + column, (y / tl.sum(y, 0)).to(tl.float16), mask=column < length)


@triton.jit
def softmax_backward(gradient, out, length, block: tl.constexpr):
    row = tl.program_id(0)
    start = (tl.program_id(1).to(tl.int64) * length + row) * length
    column = tl.arange(0, block)
    left = column <= row
    y = tl.load(out + start + column, mask=left, other=0.0).to(tl.float32)
    slope = y * tl.load(gradient + start + column, mask=left, other=0.0).to(tl.float32)
    tl.store(gradient + start + column, (slope - y * tl.sum(slope, 0)).to(tl.float16), mask=left)


@triton.jit(do_not_specialize=["seed"])
def dropout_forward(x, bias, residual, out, kept, width, rate, seed, block: tl.constexpr):
    place = tl.program_id(0).to(tl.int64) * block + tl.arange(0, block)
    y = tl.load(x + place).to(tl.float32) + tl.load(bias + place % width).to(tl.float32)
    keep = tl.rand(seed, place.to(tl.int32)) > rate
    y = tl.where(keep, y / (1.0 - rate), 0.0) + tl.load(residual + place).to(tl.float32)
    tl.store(out + place, y.to(tl.float16))
    tl.store(kept + place, keep)


@triton.jit
def dropout_backward(gradient, kept, out, rate, block: tl.constexpr):
    place = tl.program_id(0).to(tl.int64) * block + tl.arange(0, block)
    slope = tl.load(gradient + place).to(tl.float32) / (1.0 - rate)
    tl.store(out + place, tl.where(tl.load(kept + place), slope, 0.0).to(tl.float16))


def launch(kernel: Any, grid: tuple[int, int], *arguments: Any) -> None:
    """With arguments whose numbers follow from the grid, but for seeds."""
    found = compiled.get((kernel, grid))
    if found is None:
        compiled[kernel, grid] = kernel[grid](*arguments, num_warps=4)
    else:
        found[(*grid, 1)](*arguments)


class CausalSoftmax(torch.autograd.Function):
    """Over the last dimension of [heads, length, length]."""

    @staticmethod
    def forward(ctx: Any, scores: torch.Tensor) -> torch.Tensor:
        heads, length, _ = scores.shape
        out = torch.empty_like(scores)
        block = triton.next_power_of_2(length)
        launch(softmax_forward, (length, heads), scores, out, length, block)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        (out,) = ctx.saved_tensors
        heads, length, _ = out.shape
        gradient = gradient.contiguous()  # taken over for the result
        block = triton.next_power_of_2(length)
        launch(softmax_backward, (length, heads), gradient, out, length, block)
        return gradient


class BiasDropoutAdd(torch.autograd.Function):
    """residual + dropout(x + bias); widths are multiples of the block."""

    @staticmethod
    def forward(
        ctx: Any, x: torch.Tensor, bias: torch.Tensor, residual: torch.Tensor, rate: float
    ) -> torch.Tensor:
        out, kept = torch.empty_like(x), torch.empty_like(x, dtype=torch.bool)
        blocks = (x.numel() // BLOCK, 1)
        numbers = (len(bias), rate, next(seeds), BLOCK)
        launch(dropout_forward, blocks, x, bias, residual, out, kept, *numbers)
        ctx.save_for_backward(kept)
        ctx.rate = rate
        return out

    @staticmethod
    def backward(
        ctx: Any, gradient: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, None]:
        (kept,) = ctx.saved_tensors
        gradient = gradient.contiguous()
        out = torch.empty_like(gradient)
        blocks = (gradient.numel() // BLOCK, 1)
        launch(dropout_backward, blocks, gradient, kept, out, ctx.rate, BLOCK)
        return out, out.sum((0, 1)), gradient, None
