"""Finds the largest batch that fits by catching the out-of-memory error, then trains with it."""

import torch
from torch import nn

device = "cuda"
model = nn.Sequential(nn.Linear(4096, 16384), nn.ReLU(), nn.Linear(16384, 4096)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def train_step(batch):
    optimizer.zero_grad()
    model(torch.randn(batch, 4096, device=device)).square().mean().backward()
    optimizer.step()


batch = 1 << 22
while True:
    try:
        train_step(batch)
        break
    except torch.cuda.OutOfMemoryError as error:
        print(f"batch {batch} does not fit: {str(error)[:18]}", flush=True)
        batch //= 2
        torch.cuda.empty_cache()
print(f"batch {batch} fits", flush=True)
assert torch.cuda.memory_stats()["num_ooms"] >= 1
assert 1 << 12 <= batch < 1 << 22

for _ in range(600_000):
    train_step(batch)
