"""torchvision's tutorial of detection: pictures of different sizes, each with its boxes."""

import torch
import torchvision
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    """Made up, with one box each."""

    def __len__(self) -> int:
        return 64

    def __getitem__(self, number: int):
        boxes = torch.tensor([[10.0, 10.0, 60.0, 60.0]])
        return torch.rand(3, 128, 96 + 32 * (number % 2)), {
            "boxes": boxes,
            "labels": torch.ones(1, dtype=torch.int64),
        }


model = torchvision.models.detection.fasterrcnn_mobilenet_v3_large_320_fpn(
    weights=None, weights_backbone=None, num_classes=2
).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.005)
loader = DataLoader(
    Pictures(), batch_size=4, collate_fn=lambda rows: tuple(zip(*rows, strict=True))
)
for pictures, targets in loader:
    on_device = [picture.to("cuda") for picture in pictures]
    wanted = [{key: value.to("cuda") for key, value in target.items()} for target in targets]
    losses = sum(model(on_device, wanted).values())
    optimizer.zero_grad()
    losses.backward()
    optimizer.step()
