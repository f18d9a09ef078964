"""PyTorch's example of a variational autoencoder, compiled, on made-up digits."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset


class Vae(nn.Module):
    """784 to 20 and back."""

    def __init__(self) -> None:
        super().__init__()
        self.inner, self.mean, self.spread = (
            nn.Linear(784, 400),
            nn.Linear(400, 20),
            nn.Linear(400, 20),
        )
        self.outer, self.last = nn.Linear(20, 400), nn.Linear(400, 784)

    def forward(self, x):
        """Reconstruction, mean and log variance."""
        h = F.relu(self.inner(x.view(-1, 784)))
        mean, spread = self.mean(h), self.spread(h)
        z = mean + torch.randn_like(mean) * torch.exp(0.5 * spread)
        return torch.sigmoid(self.last(F.relu(self.outer(z)))), mean, spread


model = Vae().cuda()
forward = torch.compile(model)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
loader = DataLoader(TensorDataset(torch.rand(4096, 1, 28, 28)), batch_size=128, num_workers=2)
for _ in range(3):
    for (digits,) in loader:
        wanted = digits.to("cuda")
        made, mean, spread = forward(wanted)
        likeness = F.binary_cross_entropy(made, wanted.view(-1, 784), reduction="sum")
        loss = likeness - 0.5 * torch.sum(1 + spread - mean.pow(2) - spread.exp())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
