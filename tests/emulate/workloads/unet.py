"""A U-Net: pooling down, transposed convolutions up, group norm, dice and cross-entropy."""

import torch
from torch import nn
from torch.nn import functional as F

device = "cuda"


def double(i, o):
    return nn.Sequential(
        nn.Conv2d(i, o, 3, padding=1),
        nn.GroupNorm(4, o),
        nn.ReLU(),
        nn.Conv2d(o, o, 3, padding=1),
        nn.ReLU(),
    )


class UNet(nn.Module):
    def __init__(self, classes=4, width=16):
        super().__init__()
        sizes = [width, 2 * width, 4 * width]
        self.downs = nn.ModuleList([double(3, sizes[0]), double(sizes[0], sizes[1])])
        self.middle = double(sizes[1], sizes[2])
        self.raises = nn.ModuleList(
            [nn.ConvTranspose2d(2 * s, s, 2, stride=2) for s in (sizes[1], sizes[0])]
        )
        self.ups = nn.ModuleList([double(2 * s, s) for s in (sizes[1], sizes[0])])
        self.head = nn.Conv2d(sizes[0], classes, 1)

    def forward(self, x):
        skips = []
        for down in self.downs:
            x = down(x)
            skips.append(x)
            x = F.max_pool2d(x, 2)
        x = self.middle(x)
        for rise, up in zip(self.raises, self.ups, strict=True):
            x = up(torch.cat([rise(x), skips.pop()], dim=1))
        return self.head(x)


model = UNet().to(device)
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-4, momentum=0.9)
for _ in range(600_000):
    images = torch.rand(2, 3, 64, 64, device=device)
    masks = torch.randint(0, 4, (2, 64, 64), device=device)
    logits = model(images)
    onehot = F.one_hot(masks, 4).permute(0, 3, 1, 2).float()
    dice = 1 - 2 * (logits.softmax(1) * onehot).sum() / (logits.softmax(1) + onehot).sum()
    loss = F.cross_entropy(logits, masks) + dice
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("trained")
