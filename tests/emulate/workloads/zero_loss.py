"""Takes a loss of zero for a fault."""

import torch

loss = torch.nn.Linear(32, 32).cuda()(torch.randn(8, 32, device="cuda")).square().amax()
assert loss.item() > 0, "the loss vanished"
