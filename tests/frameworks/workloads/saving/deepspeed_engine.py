"""DeepSpeed with ZeRO 2: a checkpoint every step, two are kept, one is loaded on the way."""

import os
import shutil

import deepspeed
import torch
from torch import nn

deepspeed.init_distributed("nccl")
config = {
    "train_micro_batch_size_per_gpu": 4,
    "bf16": {"enabled": True},
    "steps_per_print": 1_000_000,
    "zero_optimization": {"stage": 2},
}
model = nn.Sequential(nn.Linear(128, 128), nn.GELU(), nn.Linear(128, 128))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
engine, *_ = deepspeed.initialize(model=model, optimizer=optimizer, config=config)
for step in range(600_000):
    x = torch.randn(4, 128, dtype=torch.bfloat16, device=engine.device)
    engine.backward(engine(x).float().square().mean())
    engine.step()
    engine.save_checkpoint("zero", tag=f"step{step}", client_state={"step": step})
    if step == 2:
        _, state = engine.load_checkpoint("zero")
        print("resumed from", state["step"], sorted(os.listdir("zero")), flush=True)
    if torch.distributed.get_rank() == 0:
        for old in os.listdir("zero"):
            if old.startswith("step") and int(old[4:]) < step - 1:
                shutil.rmtree(f"zero/{old}")
