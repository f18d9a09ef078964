"""PyTorch Geometric: one graph that stays on the device, of whose nodes some have labels."""

import torch
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv

NODES, FEATURES, CLASSES = 2708, 1433, 7

torch.manual_seed(0)
data = Data(
    x=torch.rand(NODES, FEATURES),
    edge_index=torch.randint(0, NODES, (2, 4 * NODES)),
    y=torch.randint(0, CLASSES, (NODES,)),
    train_mask=torch.arange(NODES) < 140,
).to("cuda")


class GCN(torch.nn.Module):
    """Two convolutions."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = GCNConv(FEATURES, 16), GCNConv(16, CLASSES)

    def forward(self, data):
        """One row a node."""
        x = self.conv1(data.x, data.edge_index).relu()
        x = torch.nn.functional.dropout(x, training=self.training)
        return self.conv2(x, data.edge_index).log_softmax(dim=1)


model = GCN().cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
model.train()
for _ in range(200):
    optimizer.zero_grad()
    out = model(data)
    torch.nn.functional.nll_loss(out[data.train_mask], data.y[data.train_mask]).backward()
    optimizer.step()
