"""Device work without end or repetition, so that the capture grows until something stops it."""

import torch

x = torch.ones(1000, device="cuda")
for length in range(60_000):
    x[: length % 997 + 1].add_(1)
print("done")
