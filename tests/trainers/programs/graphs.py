"""PyTorch Geometric: graphs of different sizes, classified."""

import torch
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GCNConv, global_mean_pool

torch.manual_seed(0)
data = [
    Data(x=torch.rand(n, 16), edge_index=torch.randint(0, n, (2, 4 * n)), y=torch.tensor([n % 2]))
    for n in torch.randint(20, 40, (512,)).tolist()
]


class Network(torch.nn.Module):
    """Two convolutions and a pool."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = GCNConv(16, 64), GCNConv(64, 64)
        self.last = torch.nn.Linear(64, 2)

    def forward(self, batch):
        """One row a graph."""
        x = self.first(batch.x, batch.edge_index).relu()
        x = self.second(x, batch.edge_index).relu()
        return self.last(global_mean_pool(x, batch.batch))


model = Network().cuda()
optimizer = torch.optim.Adam(model.parameters())
for _ in range(4):
    for on_host in DataLoader(data, batch_size=32, shuffle=True):
        batch = on_host.to("cuda")
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(batch), batch.y).backward()
        optimizer.step()
