"""A small model whose memory grows with --batch; in data-parallel where there are several ranks."""

import argparse
import os

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--batch", type=int)
parser.add_argument("--width", type=int, default=256)
parser.add_argument("--no-effect", action="store_true")
parser.add_argument("--fail", action="store_true")
args = parser.parse_args()


def main() -> None:
    if args.fail:
        raise RuntimeError("this recipe is broken")
    model: nn.Module = nn.Sequential(*(nn.Linear(args.width, args.width) for _ in range(4))).cuda()
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        torch.distributed.init_process_group("nccl")
        model = nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, fused=True)
    while True:
        x = torch.empty(args.batch, args.width, device="cuda")
        model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    main()
