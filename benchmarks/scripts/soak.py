"""Trains a small network for many steps, and prints by how much the process grew after a tenth."""

import sys
from pathlib import Path

import torch


def anonymous_mib() -> float:
    """Memory that is no file's: the capture, which grows with the calls, is mapped."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("RssAnon:"))


steps = int(sys.argv[1])
model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
data = torch.randn(16, 64)
settled = 0.0
for step in range(1, steps + 1):
    model(data.cuda()).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    if step == steps // 10:
        settled = anonymous_mib()
print(f"growth_mib={anonymous_mib() - settled:.3f}")
