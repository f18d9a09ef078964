"""DistributedDataParallel over NCCL, started by torchrun."""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("nccl")
rank, local = dist.get_rank(), int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(local)
device = torch.device("cuda", local)

model = nn.Sequential(
    nn.Conv2d(3, 16, 3, 2), nn.BatchNorm2d(16), nn.ReLU(), nn.Flatten(), nn.Linear(16 * 49, 10)
)
model = nn.SyncBatchNorm.convert_sync_batchnorm(model).to(device)
model = DistributedDataParallel(model, device_ids=[local], bucket_cap_mb=1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

for step in range(600_000):
    images = torch.randn(8, 3, 16, 16, device=device)
    labels = torch.randint(0, 10, (8,), device=device)
    loss = nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        dist.all_reduce(loss, op=dist.ReduceOp.AVG)
        if rank == 0:
            print(f"step {step} loss {loss.item():.4f}", flush=True)
dist.destroy_process_group()
