"""Attention written out, and a block of a small GPT."""

import math

import torch
from torch import Tensor
from torch.nn import functional

from workshop.operators.programs.registry import Operator, Parameters, numbers, operator


def _attention(x: Tensor, weights: tuple[Tensor, ...], heads: int, softmax: bool) -> Tensor:
    """Scores in memory, masked below the diagonal."""
    inputs, input_bias, outputs, bias, mask = weights
    batch, length, width = x.shape
    parts = functional.linear(x, inputs, input_bias).split(width, dim=2)
    q, k, v = (p.view(batch, length, heads, width // heads).transpose(1, 2) for p in parts)
    scores = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
    scores = scores.masked_fill(mask, float("-inf"))
    scores = functional.softmax(scores, dim=-1) if softmax else functional.relu(scores)
    found = (scores @ v).transpose(1, 2).contiguous().view(batch, length, width)
    return functional.linear(found, outputs, bias) if softmax else found


def _gelu(x: Tensor) -> Tensor:
    inner = math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))
    return 0.5 * x * (1.0 + torch.tanh(inner))


@operator
def plain_attention(sizes: Parameters) -> Operator:
    """Causal, with `relu` or a softmax of the scores."""
    batch, length, width = sizes["shape"]
    weights = _weights(length, width)
    softmax = sizes["scores"] == "softmax"
    run = lambda x: _attention(x, weights, sizes["heads"], softmax)  # noqa: E731
    return Operator(run, (numbers(sizes, batch, length, width),))


@operator
def small_gpt_block(sizes: Parameters) -> Operator:
    """Norm, attention, norm, and two layers four times as wide."""
    batch, length, width = sizes["shape"]
    weights, scale, shift = _weights(length, width), numbers({}, width), numbers({}, width)
    up, down = numbers({}, 4 * width, width), numbers({}, width, 4 * width)
    wide = numbers({}, 4 * width)

    def norm(x: Tensor) -> Tensor:
        return functional.layer_norm(x, (width,), scale, shift)

    def run(x: Tensor) -> Tensor:
        x = x + _attention(norm(x), weights, sizes["heads"], softmax=True)
        hidden = _gelu(functional.linear(norm(x), up, wide))
        return x + functional.linear(hidden, down, shift)

    return Operator(run, (numbers(sizes, batch, length, width),))


def _weights(length: int, width: int) -> tuple[Tensor, ...]:
    mask = torch.empty(1, 1, length, length, dtype=torch.bool, device="cuda")
    inputs = numbers({}, 3 * width, width), numbers({}, 3 * width)
    return *inputs, numbers({}, width, width), numbers({}, width), mask
