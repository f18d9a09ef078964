"""A recommender: embedding bags of every mode, an MLP for numbers, sparse gradients."""

import torch
from torch import nn

device = "cuda"


class Recommender(nn.Module):
    def __init__(self):
        super().__init__()
        self.bags = nn.ModuleList(
            [
                nn.EmbeddingBag(1000, 16, mode=mode, sparse=mode == "sum")
                for mode in ("sum", "mean", "max")
            ]
        )
        self.dense = nn.Sequential(nn.Linear(13, 16), nn.ReLU())
        self.top = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, dense, ids, offsets):
        parts = [bag(ids, offsets) for bag in self.bags] + [self.dense(dense)]
        return self.top(torch.cat(parts, dim=1)).squeeze(1)


model = Recommender().to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
offsets = torch.arange(0, 64 * 5, 5).to(device)
for _ in range(600_000):
    ids = torch.randint(0, 1000, (64 * 5,)).to(device)
    clicks = torch.randint(0, 2, (64,)).float().to(device)
    logits = model(torch.randn(64, 13, device=device), ids, offsets)
    loss = nn.functional.binary_cross_entropy_with_logits(logits, clicks)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("trained")
