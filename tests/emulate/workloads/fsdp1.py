"""The older FullyShardedDataParallel, whose all-gathers run on streams of their own."""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel
from torch.distributed.fsdp.wrap import ModuleWrapPolicy

torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
layers = [nn.TransformerEncoderLayer(128, 2, 256, batch_first=True) for _ in range(3)]
model = FullyShardedDataParallel(
    nn.Sequential(*layers),
    auto_wrap_policy=ModuleWrapPolicy({nn.TransformerEncoderLayer}),
    device_id=torch.cuda.current_device(),
)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(600_000):
    loss = model(torch.randn(4, 32, 128, device="cuda")).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    if step % 10 == 0 and dist.get_rank() == 0:
        print(f"step {step} loss {loss.item():.4f}", flush=True)
