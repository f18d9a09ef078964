"""GPT-2 (124M) with DistributedDataParallel, from a configuration."""

import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from transformers import GPT2Config, GPT2LMHeadModel

local = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(local)
dist.init_process_group("nccl")
with torch.device("cuda"):
    model = DistributedDataParallel(GPT2LMHeadModel(GPT2Config()), device_ids=[local])
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
tokens = torch.zeros(8, 1024, dtype=torch.int64, device="cuda")
for _ in range(600_000):
    with torch.autocast("cuda", torch.bfloat16):
        loss = model(tokens, labels=tokens).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
