"""A training loop through accelerate: mixed precision, accumulation, a prepared loader."""

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator(mixed_precision="bf16", gradient_accumulation_steps=2)
model = nn.Sequential(nn.Linear(64, 128), nn.LayerNorm(128), nn.SiLU(), nn.Linear(128, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=1000)
loader = DataLoader(
    TensorDataset(torch.randn(512, 64), torch.randn(512, 1)), batch_size=16, shuffle=True
)
model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
print("device", accelerator.device, flush=True)

for epoch in range(10_000):
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
    accelerator.print(f"epoch {epoch} loss {loss.item():.4f}")
