"""A small training whose step grows with --batch."""

import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--batch", type=int)


def main() -> None:
    batch = parser.parse_args().batch
    model = nn.Sequential(*(nn.Linear(256, 256) for _ in range(4))).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    while True:
        model(torch.empty(batch, 256, device="cuda")).sum().backward()
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    main()
