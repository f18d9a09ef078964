"""Prints a great deal, in text and in bytes, buffered and not."""

import os
import sys

import torch

device = "cuda"
model = torch.nn.Linear(16, 16).to(device)
for step in range(3):
    for line in range(20_000):
        print(f"step {step} line {line} " + "x" * (line % 60))
    sys.stdout.flush()
    os.write(1, bytes(range(256)))
    model(torch.randn(4, 16, device=device)).sum().backward()
print("no newline at the end", end="")
