"""segmentation-models-pytorch: a U-Net over pictures with a mask."""

import segmentation_models_pytorch as smp
import torch
from torch.utils.data import DataLoader, TensorDataset

masks = torch.randint(0, 2, (64, 1, 96, 96)).float()
loader = DataLoader(TensorDataset(torch.rand(64, 3, 96, 96), masks), batch_size=8)
model = smp.Unet("resnet18", encoder_weights=None, classes=1).cuda()
loss = smp.losses.DiceLoss("binary")
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(3):
    for pictures, wanted in loader:
        optimizer.zero_grad()
        loss(model(pictures.cuda()), wanted.cuda()).backward()
        optimizer.step()
