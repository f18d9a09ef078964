"""Activation checkpointing, re-entrant and not, around transformer layers with dropout."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

device = "cuda"
layers = nn.ModuleList(
    [
        nn.TransformerEncoderLayer(128, 2, dim_feedforward=256, dropout=0.1, batch_first=True)
        for _ in range(4)
    ]
).to(device)
optimizer = torch.optim.AdamW(layers.parameters(), lr=1e-3)

for _ in range(600_000):
    x = torch.randn(4, 64, 128, device=device, requires_grad=True)
    for index, layer in enumerate(layers):
        x = checkpoint(layer, x, use_reentrant=index % 2 == 0)
    x.square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
print("trained")
