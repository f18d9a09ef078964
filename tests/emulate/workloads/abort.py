"""Ends in the middle of a step without any clean-up, as a failed assertion in native code would."""

import os

import torch

device = "cuda"
model = torch.nn.Linear(32, 32).to(device)
for _ in range(3):
    model(torch.randn(8, 32, device=device)).sum().backward()
os.abort()
