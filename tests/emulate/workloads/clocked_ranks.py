"""Data-parallel training that times itself. The argument: rank 1 has so many times the work."""

import os
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

STEPS = 20  # the device has nothing to do until the first is under way
rank = int(os.environ["RANK"])
rows = 4096 * (int(sys.argv[1]) if rank == 1 and len(sys.argv) > 1 else 1)

dist.init_process_group("nccl")
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
layers = nn.Sequential(*(nn.Linear(4096, 4096) for _ in range(6))).cuda().bfloat16()
model = DistributedDataParallel(layers)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
batch = torch.ones(rows, 4096, device="cuda", dtype=torch.bfloat16)


def train():
    for _ in range(STEPS):
        model(batch).sum().backward()
        optimizer.step()
        optimizer.zero_grad()


train()
begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
torch.cuda.synchronize()
started = time.perf_counter()
begin.record()
train()
end.record()
torch.cuda.synchronize()
print("host", rank, 1e3 * (time.perf_counter() - started) / STEPS)
print("events", rank, begin.elapsed_time(end) / STEPS)
dist.destroy_process_group()
