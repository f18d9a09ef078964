"""Pairs of pictures through one network, as in PyTorch's example of Siamese networks."""

import torch
import torchvision
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(
    torch.rand(256, 3, 64, 64), torch.rand(256, 3, 64, 64), torch.randint(0, 2, (256,)).float()
)
body = torchvision.models.resnet18(num_classes=64).cuda()
head = torch.nn.Sequential(torch.nn.Linear(128, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1)).cuda()
optimizer = torch.optim.Adadelta([*body.parameters(), *head.parameters()])
for _ in range(3):
    for first, second, same in DataLoader(data, batch_size=16):
        both = torch.cat([body(first.cuda()), body(second.cuda())], 1)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(
            head(both).squeeze(1), same.cuda()
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
