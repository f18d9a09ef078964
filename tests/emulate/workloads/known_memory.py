"""A model whose memory can be counted; tells what PyTorch itself says of its peak."""

import json
import os

import torch
from torch import nn

device = "cuda"
model = nn.Sequential(*(nn.Linear(1024, 1024, bias=False) for _ in range(8))).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, foreach=False)
parameters = sum(p.numel() * p.element_size() for p in model.parameters())

for _ in range(600_000):
    loss = model(torch.randn(4096, 1024, device=device)).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    with open(os.path.join(os.environ["MAYA_RUN_DIR"], "told.json"), "w") as file:
        json.dump(
            {"peak_allocated": torch.cuda.max_memory_allocated(), "parameters": parameters}, file
        )
