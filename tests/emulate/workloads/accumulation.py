"""Evaluation first, then training with gradient accumulation and a loss logged every tenth step."""

import time

import torch
from torch import nn

device = "cuda"
model = nn.Sequential(nn.Linear(128, 256), nn.GELU(), nn.Linear(256, 128)).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 100))


def batch():
    return torch.randn(32, 128).pin_memory().to(device, non_blocking=True)


@torch.no_grad()
def evaluate():
    model.eval()
    losses = torch.zeros(20)
    for index in range(20):
        losses[index] = model(batch()).square().mean().item()
    model.train()
    return losses.mean()


started = time.time()
for step in range(600_000):
    if step % 1000 == 0:
        print(f"step {step} validation loss {evaluate():.4f}")
    for _ in range(4):
        loss = model(batch()).square().mean() / 4
        loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    scheduler.step()
    optimizer.zero_grad(set_to_none=True)
    if step % 10 == 0:
        print(f"step {step} loss {loss.item():.4f} {time.time() - started:.1f} s")
