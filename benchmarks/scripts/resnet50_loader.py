"""torchvision's resnet50 fed by a DataLoader with worker processes and pinned memory."""

import torch
import torchvision
from torch.utils.data import DataLoader, Dataset

SIZE = 96


class Images(Dataset[tuple[torch.Tensor, int]]):
    """Random pictures, one tensor for all, so that reading them costs the workers little."""

    def __init__(self) -> None:
        self.picture = torch.rand(3, SIZE, SIZE)

    def __len__(self) -> int:
        return 1_000_000

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        return self.picture, index % 1000


if __name__ == "__main__":
    loader = DataLoader(Images(), batch_size=32, num_workers=2, pin_memory=True)
    model = torchvision.models.resnet50().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for batch in loader:
        images, labels = (part.cuda(non_blocking=True) for part in batch)
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
