"""pytorch-metric-learning's MNIST example: mined triplets, on made-up pictures."""

import torch
from pytorch_metric_learning import distances, losses, miners, reducers
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

network = nn.Sequential(
    nn.Conv2d(1, 16, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(256, 64)
).cuda()
near = {"distance": distances.CosineSimilarity()}
triplet_loss = losses.TripletMarginLoss(0.2, reducer=reducers.ThresholdReducer(low=0), **near)
mine = miners.TripletMarginMiner(0.2, type_of_triplets="semihard", **near)
optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
data = TensorDataset(torch.rand(4096, 1, 28, 28), torch.randint(10, (4096,)))
for _ in range(10):
    for number, (pictures, labels) in enumerate(DataLoader(data, batch_size=64, shuffle=True)):
        found, wanted = network(pictures.cuda()), labels.cuda()
        optimizer.zero_grad()
        loss = triplet_loss(found, wanted, mine(found, wanted))
        loss.backward()
        optimizer.step()
        if number % 20 == 0:
            print(loss.item(), mine.num_triplets)
