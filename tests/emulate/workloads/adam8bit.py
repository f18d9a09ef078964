"""An optimiser with kernels of its own, from an extension outside PyTorch."""

import bitsandbytes
import torch
from torch import nn

model = nn.Sequential(nn.Linear(256, 512), nn.GELU(), nn.Linear(512, 256)).cuda()
optimizer = bitsandbytes.optim.Adam8bit(model.parameters(), lr=1e-3)
for step in range(600_000):
    loss = model(torch.randn(32, 256, device="cuda")).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    if step % 10 == 0:
        print(f"step {step} loss {loss.item():.4f}", flush=True)
