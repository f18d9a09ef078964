"""kornia's augmentations on the device, before a small network."""

import kornia.augmentation as K
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

augment = nn.Sequential(
    K.RandomHorizontalFlip(p=0.5),
    K.RandomAffine(degrees=30, p=0.7),
    K.ColorJiggle(0.2, 0.2, 0.2, 0.2, p=0.8),
    K.RandomResizedCrop((48, 48), p=1.0),
    K.RandomErasing(p=0.5),
).cuda()
layers = (nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.AdaptiveAvgPool2d(1))
network = nn.Sequential(*layers, nn.Flatten(), nn.Linear(16, 10)).cuda()
optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
data = TensorDataset(torch.rand(640, 3, 64, 64), torch.randint(10, (640,)))
for _ in range(20):
    for pictures, labels in DataLoader(data, batch_size=32):
        scores = network(augment(pictures.cuda()))
        loss = nn.functional.cross_entropy(scores, labels.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())
