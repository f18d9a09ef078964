"""A small training beside which other processes use the GPU, as real scripts start them."""

import argparse
import os
import subprocess
import sys

import torch
import torch.multiprocessing as mp
from torch import nn
from torch.utils.data import DataLoader, Dataset

PROBE = "import torch; print(torch.cuda.get_device_name()); torch.zeros(4, device='cuda')"


class OnDevice(Dataset):
    """Its workers touch the device, which needs processes that are not forked."""

    def __len__(self):
        return 100_000

    def __getitem__(self, index):
        return torch.full((64,), float(index), device="cuda").cpu()


def evaluate(_index):
    """Forward passes in a process of its own."""
    model = nn.Linear(64, 64).cuda()
    with torch.no_grad():
        for _ in range(200):
            model(torch.zeros(8, 64, device="cuda"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=("wrapper", "probe", "all"))
    kind = parser.parse_args().kind
    if kind == "wrapper":  # this process only looks, the one below trains
        torch.zeros(4, device="cuda")
        sys.exit(subprocess.run([sys.executable, __file__, "probe"]).returncode)
    fault = "; import no_such_module" if kind == "all" else ""
    subprocess.run([sys.executable, "-c", PROBE + fault])
    if "RANK" in os.environ:
        torch.distributed.init_process_group("nccl")
    model = nn.Linear(64, 64).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    options = {"num_workers": 2, "multiprocessing_context": "spawn"} if kind == "all" else {}
    for step, batch in enumerate(DataLoader(OnDevice(), batch_size=8, **options)):
        model(batch.cuda()).sum().backward()
        if "RANK" in os.environ:
            torch.distributed.all_reduce(model.weight.grad)
        optimizer.step()
        optimizer.zero_grad()
        if step == 1 and kind == "all":
            mp.spawn(evaluate, nprocs=1)


if __name__ == "__main__":
    main()
