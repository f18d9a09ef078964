"""The model of train_gpt2.py under torch.compile and DistributedDataParallel, for torchrun."""

import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from train_gpt2 import GPT

torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
model = torch.compile(GPT(50304, 1024, 768, 12, 12).cuda())
model = nn.parallel.DistributedDataParallel(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=6e-4, fused=True)
while True:
    ids = torch.randint(50304, (12, 1025)).cuda()
    with torch.autocast("cuda", torch.bfloat16):
        logits = model(ids[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
