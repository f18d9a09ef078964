"""A training whose step is the host's work: --optimizer changes that, --batch does not."""

import argparse

import torch
from torch import nn

WAYS = {"fused": {"fused": True}, "foreach": {"foreach": True}, "single": {"foreach": False}}

parser = argparse.ArgumentParser()
parser.add_argument("--batch", type=int)
parser.add_argument("--optimizer", choices=WAYS)


def main() -> None:
    options = parser.parse_args()
    model = nn.Sequential(*(nn.Linear(256, 256) for _ in range(12))).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), **WAYS[options.optimizer])
    while True:
        # Of a plain sum the gradients are known, and computed: that grows with the batch.
        model(torch.empty(options.batch, 256, device="cuda")).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    main()
