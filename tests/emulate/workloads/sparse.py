"""Sparse matrices times dense ones (CSR and COO), and a graph convolution trained on them."""

import torch
from torch import nn

device = "cuda"
nodes, edges = 200, 1000
indices = torch.randint(0, nodes, (2, edges))
coo = torch.sparse_coo_tensor(indices, torch.rand(edges), (nodes, nodes)).coalesce()
csr = coo.to_sparse_csr().to(device)
coo = coo.to(device)
features = torch.randn(nodes, 32).to(device)
labels = torch.randint(0, 5, (nodes,)).to(device)

print("csr x dense", tuple((csr @ features).shape))
print("csr x vector", tuple((csr @ features[:, 0]).shape))
print("coo x dense", tuple(torch.sparse.mm(coo, features).shape))
print("addmm", tuple(torch.addmm(features, csr, features).shape))

layers = nn.ModuleList([nn.Linear(32, 64), nn.Linear(64, 5)]).to(device)
optimizer = torch.optim.SGD(layers.parameters(), lr=0.1)
for _ in range(3):
    hidden = torch.relu(torch.sparse.mm(coo, layers[0](features)))
    loss = nn.functional.cross_entropy(torch.sparse.mm(coo, layers[1](hidden)), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
torch.cuda.synchronize()
print("done")
