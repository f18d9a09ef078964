"""A script that uses a GPU only when asked to, and was not asked."""

import sys

import torch

device = "cuda" if "--cuda" in sys.argv else "cpu"
model = torch.nn.Linear(4, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(60):
    model(torch.randn(2, 4, device=device)).sum().backward()
    optimizer.step()
print("done", flush=True)
