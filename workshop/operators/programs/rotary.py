"""Rotary positions of queries and keys."""

import torch
from torch import Tensor

from workshop.operators.programs.registry import Operator, Parameters, numbers, operator


def _turned(x: Tensor) -> Tensor:
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


@operator
def rotary(sizes: Parameters) -> Operator:
    """Halves of each head turned by cosines and sines; both results side by side."""
    tokens, width = sizes["tokens"], sizes["head_size"]

    def heads(count: int) -> Tensor:
        plain = numbers(sizes, 1, tokens, count, width, gradient=False).transpose(1, 2)
        return plain.requires_grad_(bool(sizes.get("gradient", False)))

    def run(q: Tensor, k: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
        cos, sin = cos.unsqueeze(1), sin.unsqueeze(1)
        return q * cos + _turned(q) * sin, k * cos + _turned(k) * sin

    angles = [numbers(sizes, 1, tokens, width, gradient=False) for _ in range(2)]
    turned = (heads(sizes["heads"]), heads(sizes["kv_heads"]))
    return Operator(run, (*turned, *angles), asked=turned)
