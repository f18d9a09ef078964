"""flex_attention, compiled, with a causal block mask and a score modification."""

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

device, batch, heads, length, size = "cuda", 2, 2, 256, 64


def causal(b, h, q, k):
    return q >= k


def alibi(score, b, h, q, k):
    return score + (k - q) * 0.125


attention = torch.compile(flex_attention)
mask = create_block_mask(causal, None, None, length, length, device=device)
qkv = torch.randn(
    3, batch, heads, length, size, device=device, dtype=torch.bfloat16, requires_grad=True
)
for step in range(600_000):
    q, k, v = qkv
    out = attention(q, k, v, score_mod=alibi, block_mask=mask)
    out.float().square().mean().backward()
    qkv.grad = None
    print(f"step {step}", flush=True)
