"""MONAI's tutorial of three-dimensional segmentation, with four crops from each volume."""

import numpy as np
import torch
from monai.data import DataLoader, Dataset
from monai.losses import DiceLoss
from monai.networks.nets import UNet
from monai.transforms import Compose, EnsureTyped, RandCropByPosNegLabeld

shape = (1, 64, 64, 64)
rows = [
    {"image": np.random.rand(*shape).astype("float32"), "label": np.ones(shape, "float32")}
    for _ in range(24)
]
crop = RandCropByPosNegLabeld(["image", "label"], "label", (32, 32, 32), num_samples=4)
loader = DataLoader(
    Dataset(rows, Compose([EnsureTyped(["image", "label"]), crop])), batch_size=2, shuffle=True
)
model = UNet(3, 1, 2, channels=(16, 32, 64, 128), strides=(2, 2, 2), num_res_units=2).cuda()
loss, optimizer = DiceLoss(to_onehot_y=True, softmax=True), torch.optim.Adam(model.parameters())
for _ in range(4):
    for batch in loader:
        optimizer.zero_grad()
        loss(model(batch["image"].cuda()), batch["label"].cuda()).backward()
        optimizer.step()
