"""Data parallel training whose processes the script starts itself, without rank variables."""

import sys

import torch
import torch.distributed as dist
from torch.multiprocessing import spawn
from torch.nn.parallel import DistributedDataParallel

RANKS = 2


def train(rank: int, store: str) -> None:
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", init_method=store, rank=rank, world_size=RANKS)
    model = torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.ReLU(), torch.nn.Linear(512, 8))
    model = DistributedDataParallel(model.cuda(), device_ids=[rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    while True:
        optimizer.zero_grad()
        model(torch.randn(64, 512, device="cuda")).sum().backward()
        optimizer.step()


if __name__ == "__main__":
    spawn(train, args=(f"file://{sys.argv[1]}",), nprocs=RANKS)
