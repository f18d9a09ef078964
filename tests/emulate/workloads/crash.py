"""Fails in its third step with an ordinary exception."""

import torch

device = "cuda"
model = torch.nn.Linear(32, 32).to(device)
for step in range(5):
    loss = model(torch.randn(8, 32, device=device)).sum()
    loss.backward()
    if step == 2:
        raise ValueError("the third step is one too many")
