"""torch.compile in the mode named on the command line."""

import sys

import torch
from torch import nn

device, mode = "cuda", sys.argv[1]


class Block(nn.Module):
    def __init__(self, width=128):
        super().__init__()
        self.norm, self.up, self.down = (
            nn.LayerNorm(width),
            nn.Linear(width, 4 * width),
            nn.Linear(4 * width, width),
        )

    def forward(self, x):
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))


model = (
    nn.Sequential(Block(), Block())
    if mode != "max-autotune"
    else nn.Sequential(nn.Linear(128, 128), nn.ReLU())
)
model = torch.compile(model.to(device), mode=mode)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
for step in range(600_000):
    x = torch.randn(64, 128, device=device)
    loss = model(x).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    print(f"step {step}", flush=True)
