"""vit-pytorch's ViT in a plain loop."""

import torch
from torch.utils.data import DataLoader, TensorDataset
from vit_pytorch import ViT

shape = {"image_size": 128, "patch_size": 16, "num_classes": 10}
model = ViT(**shape, dim=256, depth=4, heads=8, mlp_dim=512, dropout=0.1).cuda()
optimizer = torch.optim.Adam(model.parameters())
data = TensorDataset(torch.rand(512, 3, 128, 128), torch.randint(10, (512,)))
for _ in range(50):
    right = 0.0
    for pictures, labels in DataLoader(data, batch_size=16, shuffle=True):
        scores, wanted = model(pictures.cuda()), labels.cuda()
        loss = torch.nn.functional.cross_entropy(scores, wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        right += (scores.argmax(dim=1) == wanted).float().mean()
    print(loss.item(), right.item())
