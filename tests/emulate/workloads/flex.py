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
project = torch.nn.Linear(heads * size, 3 * heads * size, dtype=torch.bfloat16).to(device)
optimizer = torch.optim.AdamW(project.parameters(), lr=1e-3)
for step in range(600_000):
    x = torch.randn(batch, length, heads * size, device=device, dtype=torch.bfloat16)
    q, k, v = project(x).view(batch, length, 3, heads, size).permute(2, 0, 3, 1, 4)
    out = attention(q, k, v, score_mod=alibi, block_mask=mask)
    out.float().square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    print(f"step {step}", flush=True)
