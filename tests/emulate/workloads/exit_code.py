"""Ends with an exit code of its own choosing."""

import sys

import torch

x = torch.randn(8, 8, device="cuda")
print((x @ x).shape, flush=True)
sys.exit(7)
