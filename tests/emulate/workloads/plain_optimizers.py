"""Evaluation, then gradient accumulation under an optimiser that no kernel's name gives away."""

import sys

import torch
from torch import nn

device = "cuda"
ACCUMULATE = 6


class OwnMomentum:
    """What people write themselves: tensor operations in place."""

    def __init__(self, parameters):
        self.parameters = list(parameters)
        self.velocity = [torch.zeros_like(p) for p in self.parameters]

    @torch.no_grad()
    def step(self):
        for parameter, velocity in zip(self.parameters, self.velocity, strict=True):
            velocity.mul_(0.9).add_(parameter.grad)
            parameter.sub_(0.01 * velocity)

    def zero_grad(self):
        for parameter in self.parameters:
            parameter.grad.zero_()


choices = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, foreach=False),
    "adamw": lambda p: torch.optim.AdamW(p, foreach=False, fused=False),
    "own": OwnMomentum,
}
model = nn.Sequential(
    nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(True), nn.Flatten(), nn.Linear(8 * 36, 10)
).to(device)
optimizer = choices[sys.argv[1]](model.parameters())


def loss_of_a_batch():
    images = torch.randn(4, 3, 8, 8).to(device)
    return nn.functional.cross_entropy(model(images), torch.zeros(4, dtype=torch.long).to(device))


with torch.no_grad():
    validation = sum(loss_of_a_batch().item() for _ in range(20))
print("validated", flush=True)
for step in range(600_000):
    for _ in range(ACCUMULATE):
        loss = loss_of_a_batch() / ACCUMULATE
        loss.backward()
    torch.cuda.nvtx.mark("update")
    optimizer.step()
    optimizer.zero_grad()
    if step % 2 == 0:
        print("loss", loss.item(), flush=True)
