"""A multi-layer perceptron in mixed precision: fp16 autocast and a gradient scaler."""

import torch
from torch import nn

device = "cuda"
model = nn.Sequential(
    nn.Linear(256, 512),
    nn.ReLU(),
    nn.Dropout(0.1),
    nn.Linear(512, 512),
    nn.GELU(),
    nn.Linear(512, 10),
).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
scaler = torch.amp.GradScaler("cuda")

for step in range(600_000):
    x = torch.randn(64, 256, device=device)
    y = torch.randint(0, 10, (64,), device=device)
    with torch.autocast("cuda", dtype=torch.float16):
        loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad(set_to_none=True)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    print(f"step {step}", flush=step == 0)
