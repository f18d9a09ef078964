"""A small GPT that saves a checkpoint of 30 MB at every step and prunes the one before the last."""

import shutil
from pathlib import Path

import torch
from torch import nn

torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(256, 4, 1024, batch_first=True)
model = nn.TransformerEncoder(layer, 3).cuda()
optimizer = torch.optim.AdamW(model.parameters())
x = torch.randn(4, 128, 256, device="cuda")
for step in range(100_000):
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()
    folder = Path(f"checkpoints/{step}")
    folder.mkdir(parents=True, exist_ok=True)
    states = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
    torch.save(states, folder / "state.tmp")
    (folder / "state.tmp").replace(folder / "state.pt")
    shutil.rmtree(f"checkpoints/{step - 2}", ignore_errors=True)
