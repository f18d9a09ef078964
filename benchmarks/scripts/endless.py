"""A small training that does not end by itself; in data-parallel where there are several ranks."""

import os

import torch
from torch import nn

torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
model: nn.Module = nn.Sequential(nn.Linear(256, 256), nn.Linear(256, 256)).cuda()
if int(os.environ.get("WORLD_SIZE", "1")) > 1:
    torch.distributed.init_process_group("nccl")
    model = nn.parallel.DistributedDataParallel(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
while True:
    model(torch.empty(64, 256, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
