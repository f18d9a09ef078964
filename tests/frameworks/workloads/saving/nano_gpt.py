"""As nanoGPT does: resumes from ckpt.pt if there is one, and overwrites it after every step."""

import os

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import nn

model = nn.Sequential(nn.Embedding(256, 64), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 256))
first = 0
model = model.cuda()
optimizer = torch.optim.AdamW(model.parameters())
if os.path.exists("ckpt.pt"):
    checkpoint = torch.load("ckpt.pt", map_location="cuda")
    model.load_state_dict(checkpoint["model"])
    first = checkpoint["step"] + 1
    print("resumed at", first, flush=True)
history = np.memmap(
    "history.bin",
    dtype=np.float32,
    mode="r+" if os.path.exists("history.bin") else "w+",
    shape=(4096,),
)
tokens = torch.randint(0, 256, (8, 128), device="cuda")
for step in range(first, first + 600_000):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())
    loss.backward()
    optimizer.step()
    torch.save(
        {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, "ckpt.tmp"
    )
    os.replace("ckpt.tmp", "ckpt.pt")
    save_file({k: v.contiguous() for k, v in model.state_dict().items()}, "model.safetensors")
    assert len(load_file("model.safetensors")) == len(model.state_dict())
    assert torch.load("ckpt.pt", map_location="cpu")["step"] == step
    history[step % 4096] = step
    history.flush()
