"""A DCGAN: a generator and a discriminator, each with its own optimiser."""

import torch
from torch import nn

device = "cuda"


def up(i, o):
    return [nn.ConvTranspose2d(i, o, 4, 2, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU(True)]


def down(i, o):
    return [
        nn.Conv2d(i, o, 4, 2, 1, bias=False),
        nn.BatchNorm2d(o),
        nn.LeakyReLU(0.2, inplace=True),
    ]


generator = nn.Sequential(
    nn.ConvTranspose2d(32, 64, 4),
    *up(64, 32),
    *up(32, 16),
    nn.ConvTranspose2d(16, 3, 4, 2, 1),
    nn.Tanh(),
).to(device)
discriminator = nn.Sequential(
    *down(3, 16), *down(16, 32), *down(32, 64), nn.Conv2d(64, 1, 4), nn.Flatten(0)
).to(device)
optimizer_g = torch.optim.Adam(generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
optimizer_d = torch.optim.Adam(discriminator.parameters(), lr=2e-4, betas=(0.5, 0.999))
criterion = nn.BCEWithLogitsLoss()
ones, zeros = torch.ones(16, device=device), torch.zeros(16, device=device)

for step in range(600_000):
    real = torch.rand(16, 3, 32, 32, device=device) * 2 - 1
    fake = generator(torch.randn(16, 32, 1, 1, device=device))

    optimizer_d.zero_grad()
    loss_d = criterion(discriminator(real), ones) + criterion(discriminator(fake.detach()), zeros)
    loss_d.backward()
    optimizer_d.step()

    optimizer_g.zero_grad()
    loss_g = criterion(discriminator(fake), ones)
    loss_g.backward()
    optimizer_g.step()
    if step % 100 == 0:
        print(f"step {step} D {loss_d.item():.3f} G {loss_g.item():.3f}", flush=True)
