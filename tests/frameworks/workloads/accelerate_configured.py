"""A loop that leaves everything about sharding to `accelerate launch` and its configuration."""

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator()
print(f"{accelerator.distributed_type} of {accelerator.num_processes}", flush=True)
model = nn.Sequential(*(nn.Sequential(nn.Linear(256, 256), nn.GELU()) for _ in range(4)))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
loader = DataLoader(TensorDataset(torch.randn(65536, 256)), batch_size=4)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
precision = next(model.parameters()).dtype  # DeepSpeed's model does not cast what it is given
for (batch,) in loader:
    accelerator.backward(model(batch.to(precision)).float().square().mean())
    optimizer.step()
    optimizer.zero_grad()
