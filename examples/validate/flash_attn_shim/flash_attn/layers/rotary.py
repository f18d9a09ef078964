"""Rotary positions in one Triton kernel: of queries into a new tensor, of keys in place."""

from typing import Any

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def rotate(x, out, cos, sin, length, row, out_row, half, sign: tl.constexpr, size: tl.constexpr):
    token = tl.program_id(0).to(tl.int64)
    head = tl.program_id(1)
    place = tl.arange(0, size)
    inside = place < half
    angle = (token % length) * half + place
    c = tl.load(cos + angle, mask=inside).to(tl.float32)
    s = tl.load(sin + angle, mask=inside).to(tl.float32) * sign
    start = token * row + head * 2 * half + place
    first = tl.load(x + start, mask=inside).to(tl.float32)
    second = tl.load(x + start + half, mask=inside).to(tl.float32)
    end = token * out_row + head * 2 * half + place
    tl.store(out + end, (first * c - second * s).to(tl.bfloat16), mask=inside)
    tl.store(out + end + half, (first * s + second * c).to(tl.bfloat16), mask=inside)


Tables = tuple[torch.Tensor, torch.Tensor]


def turned(x: torch.Tensor, out: torch.Tensor, tables: Tables, sign: float) -> torch.Tensor:
    batch, length, heads, width = x.shape
    rows = x.stride(1), out.stride(1)
    sizes = width // 2, sign, triton.next_power_of_2(width // 2)
    rotate[batch * length, heads](x, out, *tables, length, *rows, *sizes, num_warps=1)
    return out


class RotateQueries(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, q: torch.Tensor, *tables: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(*tables)
        return turned(q, torch.empty(q.shape, dtype=q.dtype, device=q.device), tables, 1.0)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        gradient = gradient.contiguous()
        return turned(gradient, torch.empty_like(gradient), ctx.saved_tensors, -1.0), None, None


class RotateKeys(torch.autograd.Function):
    """The first of (batch, length, 2, heads, width)."""

    @staticmethod
    def forward(ctx: Any, kv: torch.Tensor, *tables: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(*tables)
        turned(kv[:, :, 0], kv[:, :, 0], tables, 1.0)
        ctx.mark_dirty(kv)
        return kv

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        gradient = gradient.contiguous()
        turned(gradient[:, :, 0], gradient[:, :, 0], ctx.saved_tensors, -1.0)
        return gradient, None, None


class RotaryEmbedding(nn.Module):
    def __init__(self, dim: int, base: float = 10000.0, interleaved: bool = False) -> None:
        super().__init__()
        if interleaved:
            raise NotImplementedError("pairs of neighbours")
        self.dim, self.base = dim, base
        self.tables: Tables | None = None

    def forward(self, q: torch.Tensor, kv: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        if self.tables is None:
            places = torch.arange(0, self.dim, 2, device=q.device, dtype=torch.float32)
            rates = self.base ** (-places / self.dim)
            angles = torch.outer(torch.arange(q.shape[1], device=q.device), rates)
            self.tables = angles.cos().to(q.dtype), angles.sin().to(q.dtype)
        return RotateQueries.apply(q, *self.tables), RotateKeys.apply(kv, *self.tables)
